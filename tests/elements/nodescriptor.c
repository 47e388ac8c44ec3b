// SPDX-License-Identifier: LGPL-2.1-or-later
// The first exception of the process is thrown when no descriptor is left.
#include <fcntl.h>
#include <gst/gst.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
  const struct rlimit few = {64, 64};
  GstElement *chain;

  gst_init(&argc, &argv);
  setrlimit(RLIMIT_NOFILE, &few);
  chain = gst_element_factory_make("glclchain", NULL);
  g_assert_nonnull(chain);
  while (open("/dev/null", O_RDONLY) >= 0)
    ;
  g_object_set(chain, "filters", "no chain(", NULL);
  return 0;
}
