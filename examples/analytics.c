// SPDX-License-Identifier: LGPL-2.1-or-later
// analytics [--find PICTURE] [FILE | /dev/video0]: reads the results as GStreamer's own metas,
// which other elements understand too. It needs GStreamer 1.26. The optical flow is in tensors
// (GstTensorMeta). Moving objects are tracked detections and a mask (GstAnalyticsRelationMeta).
// --find also searches for the object in a picture.
#include <gst/analytics/analytics.h>
#include <gst/analytics/gstanalyticssegmentationmtd.h>
#include <gst/analytics/gsttensormeta.h>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <stdio.h>

#include "common.h"

/* The centre of some cells, as fractions of the frame. */
typedef struct {
  double count, x, y;
} Centre;

static void add(Centre *centre, gsize x, gsize columns, gsize y, gsize rows) {
  centre->count++;
  centre->x += (x + 0.5) / columns;
  centre->y += (y + 0.5) / rows;
}

static void print_centre(const char *what, const Centre *centre, gsize cells) {
  if (!centre->count) return;
  printf("; %s %.1f%% around (%.2f, %.2f)", what, 100 * centre->count / cells,
         centre->x / centre->count, centre->y / centre->count);
}

/* Maps a tensor of float32 into `map`; end that with gst_buffer_unmap(). Returns NULL if there is
 * no tensor of this name with so many dimensions. */
static const GstTensor *read_tensor(GstTensorMeta *meta, const char *name, gsize dimensions,
                                    GstMapInfo *map) {
  const gint index = gst_tensor_meta_get_index_from_id(meta, g_quark_from_string(name));
  const GstTensor *tensor = index < 0 ? NULL : gst_tensor_meta_get(meta, index);
  gsize numbers = 1;

  if (!tensor || tensor->num_dims != dimensions ||
      tensor->data_type != GST_TENSOR_DATA_TYPE_FLOAT32 ||
      tensor->dims_order != GST_TENSOR_DIM_ORDER_ROW_MAJOR)
    return NULL;
  for (gsize i = 0; i < dimensions; i++) numbers *= tensor->dims[i];
  if (!gst_buffer_map(tensor->data, map, GST_MAP_READ)) return NULL;
  if (map->size == numbers * sizeof(float)) return tensor;
  gst_buffer_unmap(tensor->data, map);
  return NULL;
}

static void print_flow(GstTensorMeta *meta) {
  GstMapInfo vectors, confidence;
  const GstTensor *field = read_tensor(meta, "glopenclflow-vectors", 3, &vectors);
  const GstTensor *sure = read_tensor(meta, "glopenclflow-confidence", 2, &confidence);
  Centre centre = {0};

  if (field && sure && field->dims[0] == sure->dims[0] && field->dims[1] == sure->dims[1]) {
    const gsize rows = field->dims[0], columns = field->dims[1];
    for (gsize i = 0; i < rows * columns; i++) {
      const float *vector = (const float *)vectors.data + 2 * i;
      if (((const float *)confidence.data)[i] > 0.5F &&
          vector[0] * vector[0] + vector[1] * vector[1] > 1)
        add(&centre, i % columns, columns, i / columns, rows);
    }
    print_centre("flow", &centre, rows * columns);
  }
  if (field) gst_buffer_unmap(field->data, &vectors);
  if (sure) gst_buffer_unmap(sure->data, &confidence);
}

static void print_mask(const GstAnalyticsSegmentationMtd *segmentation) {
  gint x, y;
  guint width, height;
  gsize moving;
  GstBuffer *mask = gst_analytics_segmentation_mtd_get_mask(segmentation, &x, &y, &width, &height);
  GstVideoInfo info;
  GstVideoFrame frame;
  const GstVideoMeta *size = mask ? gst_buffer_get_video_meta(mask) : NULL;
  Centre centre = {0};

  /* A pixel of the mask is the index of its segment: 0 background, 1 objects, 2 shadows, 3
   * overlays. */
  if (size && gst_analytics_segmentation_mtd_get_region_index(segmentation, &moving, 1) &&
      gst_video_info_set_format(&info, size->format, size->width, size->height) &&
      gst_video_frame_map(&frame, &info, mask, GST_MAP_READ)) {
    for (guint row = 0; row < size->height; row++) {
      const guint8 *line = (const guint8 *)GST_VIDEO_FRAME_PLANE_DATA(&frame, 0) +
                           (gsize)row * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
      for (guint column = 0; column < size->width; column++)
        if (line[column] == moving) add(&centre, column, size->width, row, size->height);
    }
    print_centre("mask", &centre, (gsize)size->width * size->height);
    gst_video_frame_unmap(&frame);
  }
  if (mask) gst_buffer_unref(mask);
}

static void print_found(GstAnalyticsRelationMeta *meta) {
  GstAnalyticsMtd mtd;
  gpointer state = NULL;

  while (gst_analytics_relation_meta_iterate(meta, &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd)) {
    const GstAnalyticsMtdType type = gst_analytics_mtd_get_mtd_type(&mtd);
    if (type == gst_analytics_segmentation_mtd_get_mtd_type()) print_mask(&mtd);
    if (type != gst_analytics_od_mtd_get_mtd_type()) continue;
    gint x, y, width, height;
    gfloat score;
    gst_analytics_od_mtd_get_location(&mtd, &x, &y, &width, &height, &score);
    printf("; %s, %d x %d px at (%d, %d), confidence %.2f",
           g_quark_to_string(gst_analytics_od_mtd_get_obj_type(&mtd)), width, height, x, y, score);
    GstAnalyticsTrackingMtd tracking;
    gpointer related = NULL;
    guint64 id;
    GstClockTime first, last;
    gboolean lost;
    if (gst_analytics_relation_meta_get_direct_related(
            meta, mtd.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
            gst_analytics_tracking_mtd_get_mtd_type(), &related, &tracking) &&
        gst_analytics_tracking_mtd_get_info(&tracking, &id, &first, &last, &lost))
      printf(", number %u, seen for %.2f s", (guint)id, (double)(last - first) / GST_SECOND);
  }
}

static GstFlowReturn on_frame(GstAppSink *sink, gpointer data) {
  GstSample *sample = gst_app_sink_pull_sample(sink);
  if (!sample) return GST_FLOW_EOS;
  GstBuffer *frame = gst_sample_get_buffer(sample);
  GstTensorMeta *tensors = gst_buffer_get_tensor_meta(frame);
  GstAnalyticsRelationMeta *found = gst_buffer_get_analytics_relation_meta(frame);

  printf("%.2f s", (double)GST_BUFFER_PTS(frame) / GST_SECOND);
  if (tensors) print_flow(tensors);
  if (found) print_found(found);
  printf("\n");
  ++*(int *)data;
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

int main(int argc, char **argv) {
  const char *picture = NULL;
  int frames = 0;

  gst_init(&argc, &argv);
  example_arguments(argc, argv,
                    "analytics [--find PICTURE] [FILE | /dev/video0]: "
                    "prints flow, mask and moving objects from GStreamer's own metas");
  if (argc > 2 && g_str_equal(argv[1], "--find")) {
    picture = argv[2];
    argc -= 2, argv += 2;
  }
  GString *rest =
      g_string_new(picture ? "glclhough name=find attach-meta=true display=none ! " : "");
  g_string_append(rest,
                  "glclmotion detect=true attach-meta=true post-messages=false ! "
                  "glopenclflow attach-meta=true post-messages=false display=none grid=4 ! "
                  "appsink name=sink sync=false max-buffers=4");
  GstElement *pipeline = example_pipeline(argc > 1 ? argv[1] : NULL, rest->str);
  GstBin *bin = GST_BIN(pipeline);
  g_string_free(rest, TRUE);
  if (picture) {
    GstElement *find = gst_bin_get_by_name(bin, "find");
    g_object_set(find, "template", picture, NULL);
    gst_object_unref(find);
  }
  GstElement *sink = gst_bin_get_by_name(bin, "sink");
  GstAppSinkCallbacks callbacks = {.new_sample = on_frame};

  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, &frames, NULL);
  gst_object_unref(sink);
  const int status = example_play(pipeline, NULL, NULL);
  printf("%d frames\n", frames);
  return status;
}
