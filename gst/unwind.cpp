// SPDX-License-Identifier: LGPL-2.1-or-later
// Resumes an exception with the unwinder that raised it. GStreamer loads libunwind, whose
// _Unwind_Resume hides that of libgcc from libraries that are loaded later. If libstdc++ was loaded
// before, as in Python after a module in C++, it raises exceptions with libgcc. A plugin that then
// resumes them with libunwind crashes. The linker makes the plugin, and elements outside the tree,
// call these functions instead of the original ones (--wrap).
#include <dlfcn.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Resume = void (*)(_Unwind_Exception *);
std::atomic<Resume> resume{nullptr};

/// The _Unwind_Resume of the library that contains an address.
Resume resume_of(void *address) {
  Dl_info info;
  if (!dladdr(address, &info)) return nullptr;
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<Resume>(dlsym(library, "_Unwind_Resume")) : nullptr;
}

/// An unwinder gets ready when the first exception comes: libunwind opens a pipe, and where the
/// process has no descriptor left it finds no handler and ends the process. So one comes now.
[[maybe_unused]] const bool ready = [] {
  try {
    throw true;
  } catch (bool) {
    return true;
  }
}();

}  // namespace

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int, int, uint64_t, _Unwind_Exception *,
                                                _Unwind_Context *);
void __real__Unwind_Resume(_Unwind_Exception *);

/// The unwinder calls it for each function that an exception passes.
_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, int actions, uint64_t kind,
                                                _Unwind_Exception *exception,
                                                _Unwind_Context *context) {
  if (!resume) resume = resume_of(__builtin_return_address(0));
  return __real___gxx_personality_v0(version, actions, kind, exception, context);
}

void __wrap__Unwind_Resume(_Unwind_Exception *exception) {
  const Resume other = resume;
  other ? other(exception) : __real__Unwind_Resume(exception);
  std::abort();  // it does not return
}
}
