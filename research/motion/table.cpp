// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

#include "forms.h"
#include "opencl/error.h"
#include "tools/bench/limits.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"
#include "tools/bench/progress.h"
#include "tools/bench/search.h"
#include "tools/table.h"

namespace glcl::research {

namespace {

using namespace bench;

/// The frame sizes and windows of A. Uta's measurements.
const std::vector<std::pair<int, int>> usual_sizes{
    {176, 144},   {256, 192},   {352, 288},   {352, 480},   {720, 480},   {1280, 720}, {1920, 1080},
    {2048, 1080}, {2560, 1920}, {4096, 2048}, {4096, 3072}, {7680, 4320}, {7680, 7680}};
constexpr int windows[] = {25, 31, 36, 40, 47, 55, 70};

using motion::Key;
using motion::Search;
using Work = std::function<void(Queue &, const SearchWindow &, const Planes &, const cl::Buffer &)>;

constexpr int lambda = 0;  // the least difference alone counts, as in the thesis

struct Form {
  const char *name;
  Work work;
  double ms_per_difference = 0;  // of the last frame
};

template <class Engine>
Work work_of(std::shared_ptr<Engine> engine) {
  return [engine](Queue &queue, const SearchWindow &window, const Planes &planes,
                  const cl::Buffer &keys) {
    engine->run(queue, planes.current, planes.reference, window, lambda, keys);
  };
}

std::vector<Form> forms(Context &context) {
  std::vector<Form> list;
  for (const auto &[name, form] :
       {std::pair{"reference, naive", SearchForms::Form::reference_naive},
        {"reference, local", SearchForms::Form::reference_local},
        {"collab., naive", SearchForms::Form::collaborative_naive},
        {"collab., local", SearchForms::Form::collaborative_local},
        {"one launch", SearchForms::Form::collaborative_single},
        {"unaligned", SearchForms::Form::unaligned}})
    list.push_back({name, work_of(std::make_shared<SearchForms>(context, form))});
  list.push_back({"tiled", work_of(std::make_shared<Search>(context, SearchForms::block))});
  return list;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value < 1 ? 3 : value < 100 ? 2 : 0, value);
  return text;
}

/// ms of the kernels of one run, by events: the median of up to five within `seconds`. Where the
/// form can't have the window nothing.
std::optional<double> time(Queue &queue, const std::function<void()> &run, double seconds) {
  std::vector<double> times;
  double sum = 0;
  try {
    run();  // drivers finish compiling at the first launch
  } catch (const Error &error) {
    if (error.kind() != Error::Kind::settings) throw;
    return {};
  }
  queue.cl().finish();
  std::map<std::string, Timing> timings;
  queue.collect(timings);
  while (times.empty() || (times.size() < 5 && sum < seconds * 1e3)) {
    run();
    queue.cl().finish();
    timings.clear();
    queue.collect(timings);
    double ms = 0;
    for (const auto &[name, timing] : timings) ms += static_cast<double>(timing.sum) / 1e6;
    times.push_back(ms);
    sum += ms;
  }
  return median(times);
}

/// A table of the forms at one window.
class WindowTable {
 public:
  WindowTable(Context &context, int side, double seconds, const Limits &limits)
      : side_(side),
        window_(SearchWindow::of_window(side, SearchForms::block)),
        seconds_(seconds),
        limit_(limits.per_second.differences),
        forms_(forms(context)),
        table_(head()),
        queue_(context.shared_from_this(), true),
        good_(agree(context)) {}

  void add(Context &context, const Planes &planes) {
    const size_t count = Search(context, SearchForms::block).keys(planes.current);
    const cl::Buffer keys(context.cl(), CL_MEM_READ_WRITE, count * sizeof(Key));
    const double differences =
        double(planes.current.width) * planes.current.height * window_.x.count * window_.y.count;
    Table::Row row{std::to_string(planes.current.width) + "×" +
                   std::to_string(planes.current.height)};
    std::vector<Key> first, found(count);
    bool equal = good_;
    double ms = 0;
    for (Form &form : forms_) {
      if (form.ms_per_difference * differences > seconds_ * 1e3) {
        row.emplace_back("-");
        continue;
      }
      const auto ms_taken = time(
          queue_, [&] { form.work(queue_, window_, planes, keys); }, seconds_ / 10);
      row.push_back(ms_taken ? number(*ms_taken) : "");
      if (!ms_taken) continue;
      form.ms_per_difference = *ms_taken / differences;
      ms = *ms_taken;
      queue_.cl().enqueueReadBuffer(keys, CL_TRUE, 0, count * sizeof(Key), found.data());
      if (first.empty()) first = found;
      equal = equal && found == first;
    }
    row.push_back(ms > 0 ? number(differences / ms / 1e6) : "");
    row.push_back(ms > 0 ? number(100 * differences / ms * 1e3 / limit_) + " %" : "");
    row.emplace_back(first.empty() ? "" : equal ? "equal" : "WRONG");
    good_ = equal;
    table_.add(row);
  }

  bool print() const {
    std::cout << "\nW=" << side_ << ": " << window_.x.count << " × " << window_.y.count
              << " candidates, " << window_.x.first << " … " << window_.x.last() << " px\n";
    table_.print(200);
    return good_;
  }

 private:
  /// Whether every form finds what the reference implementation finds, in a small frame.
  bool agree(Context &context) {
    const Scene scene{Content::natural, 75, 40};
    const Planes planes(context, scene);
    const std::vector<Key> expected =
        reference::full_search(reference::luma(scene.frame(1)), reference::luma(scene.frame(0)),
                               SearchForms::block, window_, lambda);
    const cl::Buffer keys(context.cl(), CL_MEM_READ_WRITE, expected.size() * sizeof(Key));
    return std::all_of(forms_.begin(), forms_.end(), [&](const Form &form) {
      try {
        form.work(queue_, window_, planes, keys);
      } catch (const Error &error) {
        if (error.kind() != Error::Kind::settings) throw;
        return true;  // not at this window
      }
      return compare_equal(queue_, keys, expected, "vectors").good;
    });
  }

  Table::Row head() const {
    Table::Row head{"frame, ms"};
    for (const Form &form : forms_) head.emplace_back(form.name);
    head.insert(head.end(), {"tiled, Gdiff/s", "of limit", "vectors"});
    return head;
  }

  int side_;
  SearchWindow window_;
  double seconds_, limit_;
  std::vector<Form> forms_;
  Table table_;
  Queue queue_;
  bool good_;
};

/// Prints ms of kernels per frame for each device, window, size and form. For the tiled form, which
/// the elements use, it also prints the fraction of the device's rate of absolute differences.
/// False if a form finds other vectors than the reference implementation. A form is left out where
/// a frame would take more than about `seconds`.
bool print(const Request &request) {
  const auto devices =
      request.device == "auto" ? glcl::devices() : std::vector{choose_device(request.device)};
  const auto &sizes = request.sizes.empty() ? usual_sizes : request.sizes;
  bool good = true;
  for (const Device &device : devices) {
    const auto context = Context::of_device(device);
    const Limits limits = measure_limits(*context);
    std::cout << "\n"
              << device.name << ", driver " << device.driver << ", "
              << number(limits.per_second.differences / 1e9) << " Gdiff/s\n";
    std::vector<std::unique_ptr<WindowTable>> tables;
    for (const int side : windows)
      tables.push_back(std::make_unique<WindowTable>(*context, side, request.seconds, limits));
    Progress progress(sizes.size());
    for (const auto &[width, height] : sizes) {
      progress.step(std::to_string(width) + "×" + std::to_string(height));
      const Planes planes(*context, {Content::natural, width, height});
      for (const auto &table : tables) table->add(*context, planes);
    }
    for (const auto &table : tables) good = table->print() && good;
  }
  return good;
}

const Mode mode("thesis",
                "Every form of the block search at 13 sizes (or --size) and 7 windows, on all "
                "devices (or --device)",
                print);

}  // namespace

}  // namespace glcl::research
