#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# subproject.sh [FOLDER]
#
# Writes a small meson project into FOLDER (by default build-subproject/) that has these sources as a subproject, by a
# wrap file. Like a build of all of GStreamer, the project provides GStreamer's libraries itself and collects the plugins of its
# subprojects. It builds the plugin and an application, and runs the application and a pipeline in its
# development environment. The sources are those that git does not ignore.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 0 1 "$@"
folder=$(realpath -m "${1:-$source_root/build-subproject}")
[[ ! -e $folder || -e $folder/subprojects/gst-glcl.wrap || ! $(ls -A "$folder") ]] || wrong "the folder is in use: $folder"
install_missing

rm -rf "$folder"/subprojects
mkdir -p "$folder"/subprojects/packagefiles
(cd "$source_root" && git ls-files -z -co --exclude-standard) |
  tar -C "$source_root" --null --ignore-failed-read --transform 's,^,gst-glcl/,' -T - -cf "$folder/subprojects/packagefiles/gst-glcl.tar"
cat >"$folder/subprojects/gst-glcl.wrap" <<'WRAP'
[wrap-file]
directory = gst-glcl
source_filename = gst-glcl.tar

[provide]
dependency_names = gst-glcl-1.0, gst-glcl-results-1.0
WRAP
cat >"$folder/meson.build" <<'MESON'
project('parent', 'c', version: '1.0', meson_version: '>= 1.0')
names = ['gstreamer', 'gstreamer-base', 'gstreamer-video', 'gstreamer-gl', 'gstreamer-controller', 'gstreamer-check']
foreach name : names
  facts = {}
  foreach fact : ['modversion', 'cflags', 'libs']
    facts += {fact: run_command('pkg-config', '--' + fact, name + '-1.0', check: true).stdout().strip()}
  endforeach
  meson.override_dependency(name + '-1.0', declare_dependency(version: facts['modversion'],
    compile_args: facts['cflags'].split(), link_args: facts['libs'].split()))
endforeach
glcl = dependency('gst-glcl-1.0')
results = dependency('gst-glcl-results-1.0')
assert(glcl.type_name() == 'internal' and results.type_name() == 'internal')
plugins = subproject('gst-glcl').get_variable('gst_plugins')
assert(dependency('gstglcl').get_variable('full_path') == plugins[0].get_variable('full_path'))
message('plugin:', plugins[0].get_variable('full_path'))
executable('application', 'application.c', dependencies: [results, dependency('gstreamer-1.0')])
MESON
cat >"$folder/application.c" <<'C'
#include <gst-glcl/gstglclresult.h>

int
main (int argc, char *argv[])
{
  GstElement *pipeline, *sink;
  GstMessage *message;
  GstSample *sample = NULL;
  GError *error = NULL;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launch ("gltestsrc num-buffers=3 ! glclmotion attach-meta=true ! fakesink name=sink", &error);
  if (error)
    g_error ("%s", error->message);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline), GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_error ("%" GST_PTR_FORMAT, message);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_get (sink, "last-sample", &sample, NULL);
  if (!gst_buffer_get_glcl_result (gst_sample_get_buffer (sample), "glclmotion"))
    g_error ("a frame has no result");
  g_print ("the application reads a result\n");
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_message_unref (message);
  gst_sample_unref (sample);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return 0;
}
C

build=$folder/build
source_root=$folder build_folder "$build" 'subprojects/gst-glcl/gst/libgstglcl.so application' --werror -Dgst-glcl:tools=disabled
[[ $(ninja -C "$build" -t targets all) != *elements-pixels* ]] || die 'the subproject has its tests, which nobody asked for'
[[ -z ${GLCL_POCL_CACHE:-} ]] || export POCL_CACHE_DIR=$GLCL_POCL_CACHE
headless_environment "$build/run"
inside() { "$meson_command" devenv -C "$build" -w "$folder" env -u G_RESOURCE_OVERLAYS "$@"; }
inside gst-inspect-1.0 glcl | sed -n 's/^ *Filename *//p'
[[ $(inside gst-inspect-1.0 glcl | sed -n 's/^ *Filename *//p') == "$build"/* ]] || die 'the development environment has another plugin'
inside gst-launch-1.0 -q gltestsrc num-buffers=3 ! glclinvert ! gldownload ! video/x-raw ! fakesink
inside "$build/application"
