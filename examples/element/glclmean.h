// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib-object.h>

GType gst_glcl_mean_get_type();
