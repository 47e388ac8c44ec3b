// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames per second of an analyzer's engines on several queues beside each other, without
// OpenGL.
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "opencl/waiting.h"
#include "reference/transfer.h"
#include "tools/bench/analyzers.h"
#include "tools/bench/mode.h"
#include "tools/bench/subject.h"
#include "tools/bench/text.h"
#include "tools/table.h"

namespace glcl::research {

namespace {

using namespace bench;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// An engine with its queue and frames. One thread at a time uses it.
class Stream {
 public:
  Stream(const std::shared_ptr<Context> &context, const AnalyzerWork &work, const Scene &scene)
      : queue_(context) {
    const Layout layout = layout_for(context->device());
    for (int i = 0; i < 2; i++) frames_[i] = reference::upload(queue_, scene.frame(i), layout);
    analyzer_ = work.make(*context, scene.width, scene.height, layout);
  }

  /// The result after the first two frames.
  std::vector<char> first_result() {
    for (const Picture &frame : frames_) analyzer_.run(queue_, frame);
    return analyzer_.result(queue_);
  }

  /// Processes frames until `stop`, at most two ahead of the device, and counts them.
  void play(const std::atomic<bool> &stop, std::atomic<long> &frames) {
    cl::Event earlier;
    for (int i = 0; !stop; i = 1 - i) {
      analyzer_.run(queue_, frames_[i]);
      cl::Event end;
      queue_.cl().enqueueMarkerWithWaitList(nullptr, &end);
      queue_.cl().flush();
      if (earlier()) wait(earlier);
      earlier = end;
      frames++;
    }
    queue_.cl().finish();
  }

 private:
  Queue queue_;
  Picture frames_[2];
  Analyzer analyzer_;
};

/// Runs `work`, which outlives the threads, for each stream on a thread of its own.
template <class Work>
std::vector<std::thread> on_threads(std::vector<std::unique_ptr<Stream>> &streams,
                                    const Work &work) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < streams.size(); i++) threads.emplace_back([&, i] { work(i); });
  return threads;
}

void join(std::vector<std::thread> &threads) {
  for (std::thread &thread : threads) thread.join();
}

struct Result {
  double rate = 0;    // frames/s of all queues
  bool equal = true;  // all queues have the same first result
};

Result measure(const std::shared_ptr<Context> &context, const AnalyzerWork &work,
               const Scene &scene, int count, double seconds) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < count; i++) streams.push_back(std::make_unique<Stream>(context, work, scene));
  std::vector<std::vector<char>> results(streams.size());
  const auto begin_all = [&](size_t i) { results[i] = streams[i]->first_result(); };
  auto threads = on_threads(streams, begin_all);
  join(threads);
  context->finish_programs();
  Result result;
  for (const auto &one : results) result.equal = result.equal && one == results.front();

  std::atomic<bool> stop{false};
  std::atomic<long> frames{0};
  const auto play = [&](size_t i) { streams[i]->play(stop, frames); };
  threads = on_threads(streams, play);
  // Waits for this time, and until each queue had some frames.
  const auto pass = [&](double time) {
    const auto begin = Clock::now();
    const long enough = frames + 4 * count;
    while (Seconds(Clock::now() - begin).count() < time || frames < enough)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  pass(seconds / 3);
  const long before = frames;
  const auto begin = Clock::now();
  pass(seconds);
  result.rate = double(frames - before) / Seconds(Clock::now() - begin).count();
  stop = true;
  join(threads);
  return result;
}

bool print_queues(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  const auto sizes =
      request.sizes.empty() ? std::vector<std::pair<int, int>>{{1920, 1080}} : request.sizes;
  std::cout << context->device().name << ", driver " << context->device().driver << '\n';
  Table table({"work", "frame", "queues", "frames/s", "result"});
  bool good = true;
  for (const auto &[width, height] : sizes)
    for (const AnalyzerWork &work : analyzer_works())
      for (const int count : {1, 2, 4, 8}) {
        const Result result =
            measure(context, work, {Content::natural, width, height}, count, request.seconds);
        good = good && result.equal;
        table.add({work.name, size_name({width, height}), std::to_string(count),
                   number(result.rate, 0), result.equal ? "equal" : "WRONG: differs"});
      }
  table.print();
  return good;
}

const Mode mode("queues", "Measure the analyzers' engines on one to eight queues beside each other",
                print_queues);

}  // namespace

}  // namespace glcl::research
