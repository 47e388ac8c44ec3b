// SPDX-License-Identifier: LGPL-2.1-or-later
// The choice of a device, and the reasons against others.
#include <glib/gstdio.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "kernels/opencl/hostlayer.h"
#include "opencl/flaws.h"
#include "opencl/program.h"

namespace {

/// A device that exists in a list only.
Device listed(int platform, int index, const std::string &name, cl_device_type type) {
  Device device;
  device.platform_index = platform;
  device.device_index = index;
  device.name = name;
  device.platform_name = "Platform " + std::to_string(platform);
  device.type = type;
  return device;
}

std::vector<Device> listed_devices() {
  return {listed(0, 0, "Some Accelerator", CL_DEVICE_TYPE_ACCELERATOR),
          listed(1, 0, "pthread-CPU Model 1", CL_DEVICE_TYPE_CPU),
          listed(2, 0, "Vendor GPU 9000", CL_DEVICE_TYPE_GPU),
          listed(2, 1, "Vendor GPU 9000 Ti", CL_DEVICE_TYPE_GPU)};
}

}  // namespace

TEST(test_choose_auto) {
  const std::vector<Device> all = listed_devices();
  for (const char *automatic : {"auto", ""}) {
    check_string(glcl::choose_device(all, automatic).id(), "2:0");
    check_string(glcl::choose_device(all, automatic, all[1]).id(), "1:0");
    check_string(glcl::choose_device({all[0], all[1]}, automatic).id(), "1:0");
    check_string(glcl::choose_device({all[0]}, automatic).id(), "0:0");
  }
}

TEST(test_choose_by_place_or_name) {
  const std::vector<Device> all = listed_devices();
  const std::pair<const char *, const char *> wishes[] = {
      {"0:0", "0:0"},     {"2:1", "2:1"},     {"9000", "2:0"}, {"gpu 9000 TI", "2:1"},
      {"PTHREAD", "1:0"}, {"Model 1", "1:0"}, {"accel", "0:0"}};
  for (const auto &[wish, id] : wishes) check_string(glcl::choose_device(all, wish).id(), id);
  // A device asked for by name goes before the device of the GL context.
  check_string(glcl::choose_device(all, "1:0", all[2]).id(), "1:0");
}

TEST(test_choose_nothing) {
  const std::vector<Device> all = listed_devices();
  // The places out of range are those of devices where bits of the numbers are lost.
  for (const char *wish : {"3:0", "2:2", "-1:0", "-1:-1", "2:", ":1", ":", "2:0:0", "2:0 ", "2: 0",
                           "+2:0", "Other GPU", "4294967296:0", "2:4294967297",
                           "18446744073709551618:1", "99999999999999999999999999:1"}) {
    const Error error = error_of([&] { glcl::choose_device(all, wish); });
    fail_unless(error.kind() == Error::Kind::not_found);
    fail_unless(contains(error.what(), wish), "%s", error.what());
    fail_unless(contains(error.what(), "2:1 Vendor GPU 9000 Ti"), "%s", error.what());
  }
  const Error none = error_of([] { glcl::choose_device({}, "auto"); });
  fail_unless(none.kind() == Error::Kind::not_found);
  fail_unless(contains(none.what(), "pocl-opencl-icd"), "%s", none.what());
}

TEST_ALONE(test_registered_drivers) {
  gchar *folder = g_dir_make_tmp("glcl-drivers-XXXXXX", nullptr);
  const std::string path = folder;
  g_free(folder);
  const auto drivers_in = [](const std::string &vendors) {
    g_setenv("OCL_ICD_VENDORS", vendors.c_str(), TRUE);
    return glcl::registered_drivers();
  };
  fail_unless(contains(drivers_in(path), "pocl-opencl-icd"), "an empty folder");
  for (const char *name : {"b.icd", "a.icd", "notes.txt"})
    fail_unless(g_file_set_contents((path + "/" + name).c_str(), "", 0, nullptr));
  fail_unless(contains(drivers_in(path), "OCL_ICD_VENDORS=" + path + ": a.icd, b.icd;"),
              "a folder");
  fail_unless(contains(drivers_in(path + "/b.icd"), "b.icd: b.icd;"), "a file");
  fail_unless(contains(drivers_in("/nonexistent"), "pocl-opencl-icd"), "no folder");
  fail_unless(contains(drivers_in(""), glcl::driver_folder), "the usual folder");
  for (const char *name : {"/b.icd", "/a.icd", "/notes.txt", ""}) g_remove((path + name).c_str());
}

TEST(test_devices) {
  const std::vector<Device> all = glcl::devices();
  fail_if(all.empty());
  for (const Device &device : all) {
    check_string(glcl::choose_device(all, device.id()).id(), device.id());
    fail_if(device.name.empty());
    fail_if(device.has_extension("cl_khr"), "a part of a name is no extension");
  }
  const Device device = test_device();
  fail_unless(device.has_extension("cl_khr_global_int32_base_atomics"));
}

// The rest of the platform is as it is: "basic", which would be the first choice, lacks something.
TEST_ALONE(test_devices_that_cannot_run_the_elements) {
  g_setenv("OPENCL_LAYERS", g_getenv("GLCL_DEVICE_LAYER"), TRUE);
  g_setenv("POCL_DEVICES", "basic pthread", TRUE);
  const struct {
    const char *lacking, *words;
    bool may_be_named;
  } cases[] = {{"compiler", "its driver has no compiler", false},
               {"images", "it does not support images", false},
               {"items", "its work-groups have 64 work-items at most", true},
               {"local", "it has 1 KiB of local memory", true}};
  for (const auto &[lacking, words, may_be_named] : cases) {
    g_setenv("GLCL_TEST_LACKS", lacking, TRUE);
    const std::vector<Device> all = glcl::devices();
    if (!glcl::is_pocl(all.at(0))) return;  // another driver has the devices that it has
    fail_unless_equals_int(all.size(), 2);
    const Device chosen = glcl::choose_device(all, "auto");
    check_string(chosen.id(), "0:1");
    const std::string over = glcl::passed_over(all, chosen);
    fail_unless(contains(over, "0:0 basic") && contains(over, words), "%s", over.c_str());
    const Error error = error_of([&] { glcl::choose_device({all[0]}, "auto"); });
    fail_unless(error.kind() == Error::Kind::not_found && contains(error.what(), words), "%s",
                error.what());
    if (may_be_named)
      check_string(glcl::choose_device(all, "0:0").id(), "0:0");
    else
      fail_unless(contains(error_of([&] { glcl::choose_device(all, "0:0"); }).what(), words));
  }
  g_unsetenv("GLCL_TEST_LACKS");
  const std::vector<Device> all = glcl::devices();
  check_string(glcl::choose_device(all, "auto").id(), "0:0");
  check_string(glcl::passed_over(all, all[1]), "");
}

/// A link to a folder, which may lead elsewhere later.
class Link {
 public:
  explicit Link(const std::string &to) {
    gchar *folder = g_dir_make_tmp("glcl-cache-XXXXXX", nullptr);
    folder_ = folder;
    g_free(folder);
    lead(to);
  }
  ~Link() {
    g_remove(path().c_str());
    g_rmdir(folder_.c_str());
  }
  std::string path() const { return folder_ + "/link"; }
  void lead(const std::string &to) const {
    g_remove(path().c_str());
    fail_unless_equals_int(symlink(to.c_str(), path().c_str()), 0);
  }

 private:
  std::string folder_;
};

// Not even root can write to /sys.
TEST_ALONE(test_cache_that_cannot_be_written) {
  const char *folder = g_getenv("POCL_CACHE_DIR");
  if (!folder) return;  // PoCL is not the driver
  const Link cache(folder);
  g_setenv("POCL_CACHE_DIR", cache.path().c_str(), TRUE);
  Context context(test_device());
  if (!glcl::is_pocl(context.device())) return;
  cache.lead("/sys");
  const auto names_it = [&](const std::string &text) {
    return contains(text, "PoCL can't write to its cache " + cache.path() +
                              " (set by POCL_CACHE_DIR) (") &&
           contains(text, "set POCL_CACHE_DIR to") && !contains(text, "report");
  };
  const glcl::Program program(context.cl(), context.device(), "x.cl",
                              "__kernel void never_built_before() {}", "");
  const Error build = error_of([&] { program.get(); });
  fail_unless(names_it(build.what()), "%s", build.what());
  for (const char *wish : {"auto", "0:0"}) {
    const Error none = error_of([&] { glcl::choose_device(wish); });
    fail_unless(none.kind() == Error::Kind::not_found && names_it(none.what()) &&
                    !contains(none.what(), "pocl-opencl-icd"),
                "%s", none.what());
  }
}
