// SPDX-License-Identifier: LGPL-2.1-or-later
// vectors [FILE | /dev/video0]: reads the motion vectors of every frame of a pipeline, in C.
//
// glclmotion attaches them to the frames (attach-meta); an appsink delivers the frames. The vectors
// stay on the device until gst_glcl_array_map() downloads them, so unread vectors cost no copy. The
// frame's pixels are not touched.
#include <gst-glcl/gstglclresult.h>
#include <gst/app/gstappsink.h>
#include <math.h>

#include "common.h"

// Runs on the streaming thread: return soon, or pass the sample to a thread of your own. That
// thread may map the array too, even after the pipeline is freed.
static GstFlowReturn on_frame(GstAppSink *sink, gpointer data) {
  GstSample *sample = gst_app_sink_pull_sample(sink);
  if (!sample) return GST_FLOW_EOS;
  GstBuffer *frame = gst_sample_get_buffer(sample);
  const GstStructure *result = gst_buffer_get_glcl_result(frame, "glclmotion");
  GstGLCLArray vectors;

  // The first frame has no vectors, because it has no previous frame.
  if (result && gst_glcl_array_map(result, "vectors", &vectors)) {
    const gint16 *all = (const gint16 *)vectors.map.data;  // [rows][columns][x and y]
    const int rows = vectors.shape[0], columns = vectors.shape[1];
    int cell = 0, moving = 0, fastest = 0, squared = 0;

    gst_structure_get_int(result, "cell", &cell);
    for (int i = 0; i < rows * columns; i++) {
      const int x = all[2 * i], y = all[2 * i + 1];  // quarters of a pixel
      moving += x || y;
      if (x * x + y * y > squared) {
        squared = x * x + y * y;
        fastest = i;
      }
    }
    g_print("%" GST_TIME_FORMAT ": %d of %d blocks move", GST_TIME_ARGS(GST_BUFFER_PTS(frame)),
            moving, rows * columns);
    if (moving)
      g_print(", the fastest by %.2f px, at (%d, %d) px", sqrt(squared) / 4,
              fastest % columns * cell, fastest / columns * cell);
    g_print("\n");
    gst_glcl_array_unmap(&vectors);
    ++*(int *)data;
  }
  gst_sample_unref(sample);
  return GST_FLOW_OK;
}

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  example_arguments(argc, argv,
                    "vectors [FILE | /dev/video0]: "
                    "prints how many blocks of each frame move, and how far");
  GstElement *pipeline =
      example_pipeline(argc > 1 ? argv[1] : NULL,
                       // sync=false: as fast as possible. At most four frames wait.
                       "glclmotion attach-meta=true post-messages=false subpel=quarter ! "
                       "appsink name=sink sync=false max-buffers=4");
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstAppSinkCallbacks callbacks = {.new_sample = on_frame};
  int frames = 0;

  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, &frames, NULL);
  gst_object_unref(sink);
  const int status = example_play(pipeline, NULL, NULL);
  g_print("%d frames with vectors\n", frames);
  return status;
}
