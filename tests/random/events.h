// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

/// FLUSH_START and FLUSH_STOP below a pad that no frame passes, and the segment anew.
inline void flush_peer(GstPad *pad) {
  GstEvent *segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  GstPad *peer = gst_pad_get_peer(pad);
  if (segment && peer) {
    gst_pad_send_event(peer, gst_event_new_flush_start());
    gst_pad_send_event(peer, gst_event_new_flush_stop(FALSE));
    gst_pad_send_event(peer, gst_event_ref(segment));
  }
  gst_clear_event(&segment);
  gst_clear_object(&peer);
}
