// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the results that analysers attach to frames through the C API.
#pragma once

#include <gst/check/gstcheck.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gst/gst-glcl/gstglclresult.h"

namespace test {

/// The type of arrays in messages and results. GLib deprecates its macro in favour of arrays that
/// bindings can't read.
inline GType field_array() { return g_type_from_name("GValueArray"); }
inline const GValueArray *values(const GValue *value) {
  return static_cast<const GValueArray *>(g_value_get_boxed(value));
}

/// The number in a field of a message or a result.
inline double number(const GstStructure *structure, const char *field) {
  const GValue *value = gst_structure_get_value(structure, field);
  fail_unless(value, "there is no %s", field);
  if (G_VALUE_HOLDS_INT(value)) return g_value_get_int(value);
  if (G_VALUE_HOLDS_UINT(value)) return g_value_get_uint(value);
  if (G_VALUE_HOLDS_UINT64(value)) return static_cast<double>(g_value_get_uint64(value));
  fail_unless(G_VALUE_HOLDS_DOUBLE(value), "%s is no number", field);
  return g_value_get_double(value);
}
inline int result_int(const GstStructure *result, const char *field) {
  gint value = 0;
  fail_unless(gst_structure_get_int(result, field, &value), "there is no %s", field);
  return value;
}

/// An array of a result, mapped.
class ResultArray {
 public:
  ResultArray(const GstStructure *result, const char *field)
      : mapped_(gst_glcl_array_map(result, field, &array_)) {}
  ~ResultArray() {
    if (mapped_) gst_glcl_array_unmap(&array_);
  }
  ResultArray(const ResultArray &) = delete;

  explicit operator bool() const { return mapped_; }
  const guint8 *bytes() const { return array_.map.data; }
  gsize size() const { return array_.map.size; }
  /// True if it has this type and shape.
  bool is(const char *type, const std::vector<int> &shape) const {
    return mapped_ && std::strcmp(array_.type, type) == 0 && array_.dimensions == shape.size() &&
           std::equal(shape.begin(), shape.end(), array_.shape);
  }
  template <class Number>
  std::vector<Number> numbers() const {
    std::vector<Number> all(array_.map.size / sizeof(Number));
    std::memcpy(all.data(), array_.map.data, all.size() * sizeof(Number));
    return all;
  }

 private:
  GstGLCLArray array_{};
  bool mapped_;
};

/// Calls f(kind of element, structure) for all results of a frame.
template <class F>
void each_result(GstBuffer *frame, const F &f) {
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta(frame, &state))
    if (gst_meta_info_is_custom(meta->info)) {
      const GstStructure *fields =
          gst_custom_meta_get_structure(reinterpret_cast<GstCustomMeta *>(meta));
      f(gst_structure_get_name(fields), fields);
    }
}

/// The names of a result's arrays.
inline std::vector<std::string> result_arrays(const GstStructure *result) {
  std::vector<std::string> names;
  for (int i = 0; i < gst_structure_n_fields(result); i++) {
    const gchar *name = gst_structure_nth_field_name(result, i);
    if (GST_VALUE_HOLDS_BUFFER(gst_structure_get_value(result, name))) names.emplace_back(name);
  }
  return names;
}

/// The valid bytes of a mapped array: with a field F-count, those of F-count rows.
inline gsize result_bytes(const GstStructure *result, const std::string &field,
                          const GstGLCLArray &array) {
  GstGLCLArray count;
  if (!gst_glcl_array_map(result, (field + "-count").c_str(), &count)) return array.map.size;
  gint32 rows = 0;
  std::memcpy(&rows, count.map.data, sizeof rows);
  gst_glcl_array_unmap(&count);
  return array.map.size / gsize(array.shape[0]) * gsize(rows);
}

}  // namespace test
