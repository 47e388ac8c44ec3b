// SPDX-License-Identifier: LGPL-2.1-or-later
#include "worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <sstream>

namespace runner {

namespace {

/// Races of GStreamer 1.22 with a pipeline that an error stops while it negotiates. GstGLFilter
/// proposes a pool of a GL context that no neighbour has any more: such a run is repeated.
/// GstBaseTransform keeps the query that it gets after it was stopped, and never frees it, nor what
/// hangs on it: leaks beside such a query are not ours.
bool is_shutdown_race(const Result &result) {
  return result.criticals.find("gst_gl_buffer_pool_set_config: assertion") != std::string::npos;
}
bool is_lost_query(const std::string &left) { return left.find(" GstQuery") != std::string::npos; }

}  // namespace

Result Worker::run(unsigned changes, bool at_once) {
  Run run(scenario_, display_, changes, at_once);
  Result result = run.play();
  frames_ += result.frames.size();
  return result;
}

Worker::Worker(const Scenario &scenario, GstGLDisplay *display)
    : scenario_(scenario), display_(display) {
  // Each of them may take its time.
  for (const Change &change : scenario.changes)
    if (change.element == "e") changes_ = 2 * changes_ + 1;
}

void Worker::prepare() {
  layer().plan(nullptr);
  const Result first = run(changes_);  // fills caches
  if (changes_)
    for (unsigned n = 0; n <= changes_; n++) expected_.push_back(run(n, true));
  else
    expected_.push_back(first);
  layer().plan(nullptr);
  const Result whole = run(changes_);
  calls_ = counts();
  for (Result &one : expected_) one.kernels = whole.kernels;
  allowed_ = LeftObjects();
  const std::string bad = judge(whole, "");
  if (bad != "unreached") {
    std::printf("BAD %s without faults: %s\n", scenario_.name.c_str(), bad.c_str());
    std::fflush(stdout);
    _exit(1);
  }
}

/// Reported facts that are wrong.
std::string Worker::wrong(const Result &result) const {
  std::string frames;
  for (size_t i = 0; i < result.frames.size(); i++) {
    const std::string &frame = result.frames[i];
    if (!result.errors.empty() && frame.find("unmapped") != std::string::npos) continue;
    if (std::none_of(expected_.begin(), expected_.end(), [&](const Result &one) {
          return i < one.frames.size() && one.frames[i] == frame;
        }))
      frames += " " + std::to_string(i);
  }
  if (!frames.empty()) return "frames are wrong:" + frames;
  for (const auto &entry : result.messages)
    for (const std::string &message : entry.second)
      if (std::none_of(expected_.begin(), expected_.end(), [&](const Result &one) {
            const auto known = one.messages.find(entry.first);
            return known != one.messages.end() &&
                   std::count(known->second.begin(), known->second.end(), message);
          }))
        return "a message is wrong: " + message;
  return "";
}

std::string Worker::judge(const Result &result, const std::string &injected) const {
  if (result.hangs) return "BAD hangs";
  if (!result.criticals.empty()) return "BAD " + result.criticals.substr(0, 200);
  const std::string is_wrong = wrong(result);
  // On the ways without copies a frame may go on before it is known that it failed.
  const bool late =
      is_wrong.rfind("frame", 0) == 0 && g_getenv("GLCL_TEST_SHARING");  // gl, external, egl
  if (!is_wrong.empty() && (result.errors.empty() || !late))
    return "BAD " + is_wrong +
           (result.errors.empty() ? ", no error" : " ahead of " + result.errors);
  if (result.kernels > expected_[0].kernels) return "BAD kernels live in NULL";
  if (result.errors.empty()) {
    if (!result.eos) return "BAD ends without an error message";
    if (result.frames.size() != expected_[0].frames.size()) return "BAD frames are missing";
    const auto as_many = [](const auto &a, const auto &b) {
      return a.first == b.first && a.second.size() == b.second.size();
    };
    if (std::none_of(expected_.begin(), expected_.end(), [&](const Result &one) {
          return std::equal(one.messages.begin(), one.messages.end(), result.messages.begin(),
                            result.messages.end(), as_many);
        }))
      return "BAD messages are missing";
    return injected.empty() ? "unreached" : "right results";
  }
  std::istringstream lines(injected);
  std::string function, error;
  while (lines >> function >> error)
    if (result.errors.find(error) != std::string::npos) return "error";
  return "BAD error message without its cause: " + result.errors.substr(0, 1000);
}

std::string Worker::outcome(const std::string &plan) {
  std::string verdict;
  for (int i = 0; i < 5; i++) {
    const int violations = layer().violations();
    layer().plan(plan.c_str());
    const Result result = run(changes_);
    const std::string injected = layer().injected();
    faults_ += std::count(injected.begin(), injected.end(), '\n');
    layer().plan(nullptr);
    verdict = judge(result, injected);
    if (layer().violations() != violations) verdict = "BAD the contract is violated";
    if (verdict.rfind("BAD", 0) != 0) {
      const std::string left = left_behind(allowed_);
      if (!left.empty()) {
        if (!is_lost_query(left)) verdict = "BAD leaves" + left;
        allowed_ = LeftObjects();  // not the next one's fault
      }
    }
    if (!is_shutdown_race(result)) break;
  }
  std::replace(verdict.begin(), verdict.end(), '\n', ' ');
  return verdict;
}

std::string Worker::first_outcome(const std::string &plan) {
  layer().plan(plan.c_str());
  const Result result = run(changes_);
  const std::string injected = layer().injected();
  const int violations = layer().violations();
  prepare();
  std::string verdict = violations ? "BAD the contract is violated" : judge(result, injected);
  if (is_shutdown_race(result)) verdict = "a race of GStreamer's";
  std::replace(verdict.begin(), verdict.end(), '\n', ' ');
  return verdict;
}

std::vector<std::string> table(const Counts &calls) {
  if (!options.plan.empty()) return {options.plan};
  std::vector<std::string> plans;
  for (const auto &[function, count] : calls) {
    if (function.rfind("clRetain", 0) == 0 || function.rfind("clRelease", 0) == 0) continue;
    for (long call : std::set<long>{1, count / 2 + 1, count})
      plans.push_back(function + ":" + std::to_string(call));
  }
  // The device is lost: from some call on nothing works any more.
  for (int call : {1, 4, 9, 20, 40}) plans.push_back("clEnqueue*:" + std::to_string(call) + "+");
  if (options.all) return plans;
  std::mt19937 random(options.seed);
  for (size_t i = plans.size(); i > 1; i--) std::swap(plans[i - 1], plans[random() % i]);
  plans.resize(std::min<size_t>(plans.size(), options.sample));
  return plans;
}

}  // namespace runner
