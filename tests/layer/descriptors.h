// SPDX-License-Identifier: LGPL-2.1-or-later
// The owners of descriptor numbers: an OpenCL driver that imports memory owns its descriptor. It
// closes that with the object, not before, and closes no other. Any thread; needs no lock.
#pragma once

namespace glcl_layer {

/// A library, by an address in it; null where that is not known.
using Library = const void *;

/// The library that an address lies in.
Library library_of(const void *address);

void descriptor_opened(int number, Library by);
/// OpenCL took the descriptor over with the object that it made of it.
void descriptor_imported(int number, const void *object);

/// The time in which a thread releases an object, or the last reference of it.
class Releasing {
 public:
  static void begins(const void *object, bool last);
  static void ends();
};

/// A library closes the number: to be called ahead, and behind with whether it was open.
void descriptor_closes(int number, Library by);
void descriptor_closed(int number, Library by, bool was_open);

/// Says which library is the OpenCL driver.
void descriptors_of_driver(Library driver);

}  // namespace glcl_layer
