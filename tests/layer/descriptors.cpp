// SPDX-License-Identifier: LGPL-2.1-or-later
#include "descriptors.h"

#include <dlfcn.h>

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "record.h"

namespace glcl_layer {

namespace {

struct Owner {
  Library library = nullptr;     // that opened it
  const void *object = nullptr;  // of OpenCL, that it was handed over to
};

struct State {
  std::mutex mutex;
  std::map<int, Owner> owners;
  std::set<Library> drivers;
};

State &state() {
  static auto *the = new State;
  return *the;
}

thread_local const void *releasing = nullptr;
thread_local bool releasing_last = false;

std::string name_of(Library library) {
  Dl_info info;
  if (!library || !dladdr(library, &info) || !info.dli_fname) return "an unknown library";
  const char *slash = std::strrchr(info.dli_fname, '/');
  return slash ? slash + 1 : info.dli_fname;
}

void complain(int number, const std::string &what) {
  violation("close", "descriptor " + std::to_string(number), what);
}

}  // namespace

Library library_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

void descriptors_of_driver(Library driver) {
  const std::lock_guard lock(state().mutex);
  state().drivers.insert(driver);
}

void descriptor_opened(int number, Library by) {
  const std::lock_guard lock(state().mutex);
  state().owners[number] = {by, nullptr};
}

void descriptor_imported(int number, const void *object) {
  const std::lock_guard lock(state().mutex);
  state().owners[number].object = object;
}

void Releasing::begins(const void *object, bool last) {
  releasing = object;
  releasing_last = last;
}

void Releasing::ends() {
  const void *object = std::exchange(releasing, nullptr);
  if (!releasing_last) return;
  const std::lock_guard lock(state().mutex);
  for (auto owner = state().owners.begin(); owner != state().owners.end();) {
    if (owner->second.object != object) {
      ++owner;
      continue;
    }
    complain(owner->first, "left open by the object " + hex(object) + " that it belonged to");
    owner = state().owners.erase(owner);
  }
}

void descriptor_closes(int number, Library by) {
  const std::lock_guard lock(state().mutex);
  const auto known = state().owners.find(number);
  if (known == state().owners.end()) return;
  const Owner owner = known->second;
  state().owners.erase(known);
  if (owner.object && releasing != owner.object)
    complain(number, "belongs to the object " + hex(owner.object) + " and is closed by " +
                         name_of(by) + (releasing ? " with another object" : ""));
  else if (owner.object && !releasing_last)
    complain(number, "is closed with a reference of the object " + hex(owner.object) +
                         " that is not the last");
  else if (!owner.object && releasing && owner.library && owner.library != by &&
           state().drivers.count(by))
    complain(number,
             "of " + name_of(owner.library) + " is closed by the OpenCL driver " + name_of(by));
}

void descriptor_closed(int number, Library by, bool was_open) {
  if (!was_open) complain(number, "is not open and is closed by " + name_of(by));
}

}  // namespace glcl_layer
