// SPDX-License-Identifier: LGPL-2.1-or-later
// Objects and events of rules as metadata of ONVIF.
#pragma once

#include <gst/gst.h>

#include <string>

#include "frametime.h"

namespace glcl::events {

/// True for messages of this name that have a form in ONVIF: of objects, zones, lines and
/// the camera.
bool is_of_onvif(const std::string &name);

/// Such a message as a document in one line, a tt:MetadataStream.
std::string onvif_document(GstMessage *message, const FrameFacts &facts);

}  // namespace glcl::events
