// SPDX-License-Identifier: LGPL-2.1-or-later
#include "session.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "options.h"
#include "swap.h"

void Session::launch(const std::string &description, GstGLDisplay *display) {
  description_ = description;
  if (options.verbose) std::fprintf(stderr, "%s\n", description.c_str());
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(description.c_str(), &error);
  if (error) g_error("%s: %s", description.c_str(), error->message);
  if (options.one_display || random_.chance(50)) {
    GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, display);
    gst_element_set_context(pipeline_, context);
    gst_context_unref(context);
  }
  size_ = gst_bin_get_by_name(GST_BIN(pipeline_), "size");
  GstIterator *all = gst_bin_iterate_elements(GST_BIN(pipeline_));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(all, &item) == GST_ITERATOR_OK) {
    auto *element = GST_ELEMENT(g_value_get_object(&item));
    if (std::strncmp(GST_OBJECT_NAME(element), "ours", 4) == 0)
      tested_.push_back(GST_ELEMENT(gst_object_ref(element)));
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(all);
  std::sort(tested_.begin(), tested_.end(), [](GstElement *a, GstElement *b) {
    return std::strcmp(GST_OBJECT_NAME(a), GST_OBJECT_NAME(b)) < 0;
  });
}

void Session::step(const std::string &what) {
  if (options.verbose) std::fprintf(stderr, "  %s\n", what.c_str());
  mark_alive();
  const std::lock_guard lock(history_mutex_);
  history_.push_back(what);
}

/// Also where a signal came while the history was written: it is read all the same then.
std::string Session::history() const {
  const std::unique_lock lock(history_mutex_, std::try_to_lock);
  std::string text;
  for (const std::string &step : history_) text += (text.empty() ? "" : ", ") + step;
  return text;
}

GstElement *Session::random_element(Random &random) {
  const std::lock_guard lock(tested_mutex_);
  return GST_ELEMENT(gst_object_ref(random.of(tested_)));
}

void Session::on_sync(const std::function<void(GstElement *, Random &)> &work) {
  static thread_local bool inside = false;
  if (inside) return;
  inside = true;
  int seed = 0;
  {
    const std::lock_guard lock(tested_mutex_);
    seed = sync_random_.below(1000000);
  }
  Random random({seed});
  GstElement *element = random_element(random);
  work(element, random);
  gst_object_unref(element);
  inside = false;
}

void Session::replace(const std::function<void(GstElement *old, GstElement *fresh)> &set_up) {
  GstElement *&slot = tested_[static_cast<size_t>(random_.below(static_cast<int>(tested_.size())))];
  step(std::string("swap ") + GST_OBJECT_NAME(slot));
  std::string fault;
  GstElement *old = slot, *fresh = swapped(
                              GST_BIN(pipeline_), old,
                              [&](GstElement *element) { set_up(old, element); }, fault);
  if (!fault.empty()) report_failure(fault);
  if (!fresh) return;
  {
    const std::lock_guard lock(tested_mutex_);
    slot = fresh;
  }
  gst_object_unref(old);
  all_swaps++;
}
