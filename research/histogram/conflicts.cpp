// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include "latency.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"

namespace glcl::research {

namespace {

using namespace bench;

constexpr int sub_group = 32, banks = 32,
              words = 8192;          // 32 KiB, the least that OpenCL grants a GPU
constexpr double noticeable = 0.02;  // of the cost without conflicts

class Meter {
 public:
  explicit Meter(Context &context) : context_(context), queue_(context.shared_from_this(), true) {}

  /// ns for one addition of all lanes.
  double cost(const std::vector<int> &addresses) {
    const int items = static_cast<int>(addresses.size());
    Kernel &kernel = kernels_.try_emplace(items, Kernel()).first->second;
    if (!kernel.group().y || kernel.group().x != size_t(items))
      kernel = Kernel(context_,
                      context_.program(
                          "research/histogram/conflicts.cl",
                          "-DWORDS=" + std::to_string(words) + " -DITEMS=" + std::to_string(items)),
                      "conflicts", {size_t(items), 1});
    std::vector<int> copy = addresses;
    const cl::Buffer in(context_.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                        copy.size() * sizeof(int), copy.data());
    const cl::Buffer out(context_.cl(), CL_MEM_WRITE_ONLY, copy.size() * sizeof(cl_uint));
    // A long run less a short one, so that starting does not count.
    const double longer = time(kernel, in, out, items, 3 * rounds);
    const double cost = (longer - time(kernel, in, out, items, rounds)) / (2.0 * rounds);
    check(addresses, out);
    if (addresses.size() == size_t(sub_group) && cost > 0) measured_.emplace_back(addresses, cost);
    return cost;
  }

  /// The additions of one sub-group so far, and ns for each.
  const std::vector<std::pair<std::vector<int>, double>> &measured() const { return measured_; }
  /// Whether all that can be told was right.
  bool good() const { return good_; }

 private:
  static constexpr int rounds = 2000;

  /// What a lane that is alone with its word leaves after `rounds`, where others' order decides.
  void check(const std::vector<int> &addresses, const cl::Buffer &out) {
    cl_uint word = 0, step = 1;
    for (int i = 0; i < rounds; i++) {
      const cl_uint before = word;
      word += step;
      step = (before & 1) + 1;
    }
    std::vector<cl_uint> found(addresses.size());
    queue_.cl().enqueueReadBuffer(out, CL_TRUE, 0, found.size() * sizeof(cl_uint), found.data());
    for (size_t i = 0; i < found.size(); i++)
      if (std::count(addresses.begin(), addresses.end(), addresses[i]) == 1)
        good_ = good_ && found[i] == word + step;
  }

  double time(Kernel &kernel, const cl::Buffer &in, const cl::Buffer &out, int items, int count) {
    std::vector<double> times;
    for (int i = 0; i < 9; i++) {
      std::map<std::string, Timing> timings;
      kernel(queue_, {size_t(items), 1}, in, count, out);
      queue_.collect(timings);
      times.push_back(static_cast<double>(timings["conflicts"].sum));
    }
    return median(times);
  }

  Context &context_;
  Queue queue_;
  std::map<int, Kernel> kernels_;
  bool good_ = true;
  std::vector<std::pair<std::vector<int>, double>> measured_;
};

/// The model of the thesis with the costs that suit this device best, beside what was measured.
void compare_model(const Meter &meter) {
  const auto &measured = meter.measured();
  const AtomicLatency::Fit fit = AtomicLatency::fit(measured);
  std::vector<double> errors;
  for (const auto &[addresses, cost] : measured)
    errors.push_back(std::abs(AtomicLatency::cost(fit, addresses) / cost - 1));
  std::printf(
      "\nthe latency model, fitted to %zu patterns of one sub-group\n"
      "  base %.1f ns, %.2f ns for each round of one address, %.2f ns for each further word of a "
      "bank\n  off by %.0f %% in the middle, %.0f %% at most (the thesis, GTX 580: 1.9 %% in the "
      "middle; 108, 120 and 32 cycles)\n",
      measured.size(), fit.base, fit.position, fit.bank, 100 * median(errors),
      100 * *std::max_element(errors.begin(), errors.end()));
}

std::vector<int> lanes(int count, const std::function<int(int)> &address) {
  std::vector<int> addresses(count);
  for (int t = 0; t < count; t++) addresses[t] = address(t);
  return addresses;
}

/// The costs by `label`, the base where a lane meets none of the others, and by least squares what
/// each further one that it meets costs. `meeting`: how many lanes come to one place, for a label.
void series(Meter &meter, const char *name, const std::vector<int> &labels,
            const std::function<int(int)> &meeting,
            const std::function<std::vector<int>(int)> &pattern) {
  std::printf("\n%s\n        ", name);
  for (const int label : labels) std::printf("%8d", label);
  std::printf("\n  ns    ");
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, base = 0;
  for (const int label : labels) {
    const double cost = meter.cost(pattern(label));
    const int lanes = meeting(label);
    if (lanes == 1) base = cost;
    std::printf("%8.1f", cost);
    n++, x += lanes, y += cost, xx += double(lanes) * lanes, xy += lanes * cost;
  }
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  if (slope > noticeable * base)
    std::printf("\n  base %.1f ns, %.2f ns for each further one\n", base, slope);
  else
    std::printf("\n  base %.1f ns; this device shows no conflicts of this kind\n", base);
}

/// What an addition to local memory costs a sub-group of 32 by how its lanes meet: in one word, in
/// one bank, at a stride, and by how many sub-groups there are (J. Gómez Luna, PhD thesis 2012,
/// section 4.3); the cost without, and what each further lane adds, or that the device shows none.
bool print(const Request &request) {
  const auto own = Context::of_device(choose_device(request.device));
  Context &context = *own;
  std::printf("%s, driver %s\n", context.device().name.c_str(), context.device().driver.c_str());
  Meter meter(context);
  const std::vector<int> degrees{1, 2, 4, 8, 16, 32};
  const auto itself = [](int n) { return n; };
  series(meter, "lanes of a sub-group in one word", degrees, itself,
         [](int n) { return lanes(sub_group, [n](int t) { return t < n ? 0 : t; }); });
  series(meter, "lanes of a sub-group in one bank, in different words", degrees, itself,
         [](int n) { return lanes(sub_group, [n](int t) { return t < n ? t * banks : t; }); });
  series(meter, "lanes of a sub-group in one bank, 1024 words apart", {1, 2, 4, 8}, itself,
         [](int n) { return lanes(sub_group, [n](int t) { return t < n ? t * 1024 : t; }); });
  series(
      meter, "stride of the lanes, words", {1, 2, 4, 8, 16, 32, 64, 128},
      [](int stride) { return std::min(stride, banks); },
      [](int stride) { return lanes(sub_group, [stride](int t) { return t * stride; }); });
  series(meter, "neighbours that vote for one bin, one copy", degrees, itself,
         [](int n) { return lanes(sub_group, [n](int t) { return t / n; }); });
  series(
      meter, "all lanes in one bin of 256, by copies, padded", degrees,
      [](int copies) { return sub_group / copies; },
      [](int copies) { return lanes(sub_group, [copies](int t) { return t % copies * 257; }); });
  series(meter, "sub-groups at once, each in words of its own lanes", {1, 2, 4, 8}, itself,
         [](int count) { return lanes(sub_group * count, [](int t) { return t % sub_group; }); });
  compare_model(meter);
  if (!meter.good()) std::printf("WRONG: a lane alone with its word did not add what it should\n");
  return meter.good();
}

const Mode mode("conflicts", "What additions to local memory cost where work-items meet", print);

}  // namespace

}  // namespace glcl::research
