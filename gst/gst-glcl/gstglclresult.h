// SPDX-License-Identifier: LGPL-2.1-or-later
/// @file
/// How C reads what the analysers attach to frames. Needs GStreamer only; nothing has to be linked.
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

// C reads this too. NOLINTBEGIN(modernize-use-nullptr)

/**
 * What an element attached to a frame, with `attach-meta=true`: the structure of a GstCustomMeta
 * named as the kind of element. Which fields it has stands on the element's page. An array F is
 * three fields: a GstBuffer F, its numbers in native order; a string F-type, `uint8`, `int16`,
 * `uint16`, `int32`, `uint32` or `float32`; and a GValueArray of ints F-shape, whose last index
 * runs fastest. The string `element` is the name of the element.
 *
 * @param frame the frame
 * @param kind the kind of element, e.g. `glclmotion`; of several in a row, the first one's
 * @return the structure, which the frame owns; NULL where it has none
 */
static inline const GstStructure *gst_buffer_get_glcl_result(GstBuffer *frame, const gchar *kind) {
  GstCustomMeta *meta = gst_meta_get_info(kind) ? gst_buffer_get_custom_meta(frame, kind) : NULL;

  return meta ? gst_custom_meta_get_structure(meta) : NULL;
}

/** An array of a result in host memory. */
typedef struct {
  GstBuffer *buffer; /**< what is mapped, a reference of it */
  GstMapInfo map;    /**< `map.data` are the numbers, `map.size` bytes of them */
  const gchar *type; /**< of a number; never freed */
  guint dimensions;  /**< how many, 1 to 4 */
  gint shape[4];     /**< along each; 1 beyond `dimensions` */
} GstGLCLArray;

/**
 * Reads an array of a result back from the device, once for all that map it. Any thread may, also
 * after the element is gone. The array outlives the frame.
 *
 * @param result of gst_buffer_get_glcl_result()
 * @param field the name of the array, e.g. `vectors`
 * @param array what gst_glcl_array_unmap() takes afterwards
 * @return FALSE where there is no such array, or where the device failed
 */
static inline gboolean gst_glcl_array_map(const GstStructure *result, const gchar *field,
                                          GstGLCLArray *array) {
  gchar *type = g_strconcat(field, "-type", NULL);
  gchar *shape = g_strconcat(field, "-shape", NULL);
  const GValue *of_buffer = gst_structure_get_value(result, field);
  const GValue *of_shape = gst_structure_get_value(result, shape);
  const GValueArray *lengths;
  guint i;

  array->type = g_intern_string(gst_structure_get_string(result, type));
  g_free(type);
  g_free(shape);
  if (!of_buffer || !of_shape || !GST_VALUE_HOLDS_BUFFER(of_buffer)) return FALSE;
  lengths = (const GValueArray *)g_value_get_boxed(of_shape);
  array->dimensions = lengths->n_values;
  for (i = 0; i < 4; i++)
    array->shape[i] = i < lengths->n_values ? g_value_get_int(lengths->values + i) : 1;
  array->buffer = gst_buffer_ref(gst_value_get_buffer(of_buffer));
  if (gst_buffer_map(array->buffer, &array->map, GST_MAP_READ)) return TRUE;
  gst_clear_buffer(&array->buffer);
  return FALSE;
}

/**
 * Ends gst_glcl_array_map().
 *
 * @param array what it mapped
 */
static inline void gst_glcl_array_unmap(GstGLCLArray *array) {
  gst_buffer_unmap(array->buffer, &array->map);
  gst_clear_buffer(&array->buffer);
}

// NOLINTEND(modernize-use-nullptr)

G_END_DECLS
