// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhoughtemplateset.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/glclerrorreporter.h"
#include "base/glclregion.h"
#include "hough/maketemplate.h"
#include "opencl/error.h"
#include "opencl/waiting.h"

namespace glcl::hough {

namespace {

void warn_of_settings(GstElement *element, const std::string &text) {
  warn(element, GST_RESOURCE_ERROR_SETTINGS, text);
}

}  // namespace

std::string TemplateSet::FrameExtent::text() const {
  return std::to_string(width) + "×" + std::to_string(height) + " px";
}

bool TemplateSet::learn(const std::string &name, const Rect &box) {
  return request({name, box, nullptr});
}

bool TemplateSet::learn(const std::string &name, GstSample *sample) {
  return request({name, {}, {gst_sample_ref(sample), gst_sample_unref}});
}

bool TemplateSet::forget(const std::string &name) {
  Pending pending;
  pending.name = name;
  pending.forget = true;
  return request(std::move(pending));
}

bool TemplateSet::request(Pending pending) {
  return requests_.with([&](std::vector<Pending> &requests) {
    if (requests.size() >= HoughSettings::most_templates) return false;
    requests.push_back(std::move(pending));
    return true;
  });
}

/// Reason why a template can't be found in frames of this size; empty if it can.
std::string TemplateSet::too_large(const std::string &name, const FrameExtent &size,
                                   const Hough::Settings &search, const FrameExtent &frame) {
  const auto beyond = [&](int side, int most) { return side * search.scale_min > most; };
  const bool fits =
      !beyond(std::max(size.width, size.height), std::max(frame.width, frame.height)) &&
      !beyond(std::min(size.width, size.height), std::min(frame.width, frame.height));
  if (fits) return {};
  return "The template " + name + " of " + size.text() + " is larger than the frame of " +
         frame.text() + " even at scale-min. Use a smaller picture or a smaller scale-min.";
}

/// Accepts templates that fit into frames of this size, and adds to `failures` why others do not.
Accept TemplateSet::accept(const Hough::Settings &search, const FrameExtent &frame,
                           std::vector<std::string> &failures) {
  return [&search, frame, &failures](const std::string &name, int width, int height) {
    const std::string failure = too_large(name, {width, height}, search, frame);
    if (!failure.empty()) failures.push_back(failure);
    return failure.empty();
  };
}

/// Loads the templates of files, here or in the background.
std::function<TemplateSet::FileTemplates(const std::string &)> TemplateSet::loader(
    const Settings &settings, bool begun) const {
  return [context = context_, frame = frame_, search = settings.search,
          begun](const std::string &files) {
    FileTemplates loaded;
    Queue queue(context);
    loaded.templates = load_templates(queue, files, search, layout_for(context->device()),
                                      accept(search, frame, loaded.too_large));
    if (!begun && !loaded.too_large.empty())
      throw Error(Error::Kind::settings, loaded.too_large.front());
    return loaded;
  };
}

void TemplateSet::warn_of_files(GstElement *element, EngineChange change) const {
  if (change != EngineChange::taken) return;
  for (const std::string &text : files_.engine()->too_large) warn_of_settings(element, text);
}

/// Selects the templates that can be found in frames of this size, and warns of the others. Files
/// that do not fit the first frames are an error.
void TemplateSet::select(GstElement *element, const Hough::Settings &search, bool begun) {
  usable_.clear();
  const Templates &of_files = files_.engine()->templates;
  for (const Templates &templates : {std::cref(of_files), std::cref(learned_)})
    for (const auto &templ : templates) {
      std::string failure = too_large(templ->name, {templ->width, templ->height}, search, frame_);
      if (failure.empty() && usable_.size() == HoughSettings::most_templates)
        failure = "The template " + templ->name + " is ignored: the limit is " +
                  std::to_string(HoughSettings::most_templates) + " templates. Use fewer.";
      if (failure.empty()) {
        usable_.push_back(templ);
      } else if (!begun && &templates == &of_files) {
        throw Error(Error::Kind::settings, failure);
      } else if (std::find(warned_of_.begin(), warned_of_.end(), templ) == warned_of_.end()) {
        warned_of_.push_back(templ);
        warn_of_settings(element, failure);
      }
    }
}

void TemplateSet::prepare(GstElement *element, const std::shared_ptr<Context> &context, int width,
                          int height, const Settings &settings, bool begun) {
  context_ = context;
  frame_ = {width, height};
  warned_of_.clear();
  const FileTemplates *now = files_.engine();
  if (!now || !now->too_large.empty() || !files_.tried(settings.files))
    warn_of_files(element, files_.prepare(element, begun, settings.files, loader(settings, begun)));
  select(element, settings.search, begun);
}

/// Copies the box of a pending template out of a frame; false if it lies outside.
bool TemplateSet::copy_box(GstElement *element, Queue &queue, const Picture &in,
                           Pending &pending) const {
  const auto text = [](const Rect &area) {
    return "<" + std::to_string(area.x) + "," + std::to_string(area.y) + "," +
           std::to_string(area.width) + "," + std::to_string(area.height) + ">";
  };
  const Rect used = clipped(pending.box, in.width, in.height);
  const bool outside = !meets(pending.box, in.width, in.height);
  if (!(used == pending.box))
    warn_of_settings(element,
                     "The box " + text(pending.box) + " of the template " + pending.name +
                         " is not inside the frame of " + FrameExtent{in.width, in.height}.text() +
                         (outside ? " and was not learned." : "; " + text(used) + " was learned.") +
                         " Choose x, y, width and height in px inside the frame.");
  if (outside) return false;
  pending.part = make_picture(queue.context().cl(), used.width, used.height, in.layout, *in.format);
  const Picture &part = pending.part;
  const size_t pixel = in.format->bytes;
  if (in.layout == Layout::image)
    queue.cl().enqueueCopyImage(in.image, part.image, {size_t(used.x), size_t(used.y), 0},
                                {0, 0, 0}, {size_t(part.width), size_t(part.height), 1}, nullptr,
                                &pending.copied);
  else
    queue.cl().enqueueCopyBufferRect(in.buffer, part.buffer, {used.x * pixel, size_t(used.y), 0},
                                     {0, 0, 0}, part.region(), in.row_bytes(), 0, part.row_bytes(),
                                     0, nullptr, &pending.copied);
  queue.cl().flush();
  return true;
}

bool TemplateSet::take_requests() {
  const auto most = size_t(HoughSettings::most_templates);
  const size_t free_slots = most - std::min(queued_.size() + taken_.size(), most);
  requests_.with([&](std::vector<Pending> &requests) {
    const auto end = requests.begin() + std::ptrdiff_t(std::min(requests.size(), free_slots));
    std::move(requests.begin(), end, std::back_inserter(taken_));
    requests.erase(requests.begin(), end);
  });
  return std::any_of(taken_.begin(), taken_.end(),
                     [](const Pending &pending) { return !pending.forget && !pending.sample; });
}

/// Queues the requests taken. Boxes are cut out of this frame now; their templates may be created
/// later.
void TemplateSet::queue_requests(GstElement *element, Queue &queue, const FrameOf &frame) {
  for (Pending &pending : taken_)
    if (pending.forget || pending.sample || copy_box(element, queue, frame(), pending))
      queued_.push_back(std::move(pending));
  taken_.clear();
}

/// Takes a finished template, which replaces one of the same name. True if there is one.
bool TemplateSet::take_learned(GstElement *element) {
  const std::optional<LearnedTemplates> made = learning_.take();
  if (!made) return false;
  for (const std::string &text : made->too_large) warn_of_settings(element, text);
  if (made->failure) warn(element, made->failure, "The templates stay as they were.");
  if (made->templates.empty()) return false;
  const auto &templ = made->templates[0];
  const auto same = std::find_if(learned_.begin(), learned_.end(),
                                 [&](const auto &known) { return known->name == templ->name; });
  if (same != learned_.end())
    *same = templ;
  else
    learned_.push_back(templ);
  return true;
}

/// Forgets the templates that come next in the queue. True if there are any.
bool TemplateSet::forget_queued() {
  bool any = false;
  for (; !queued_.empty() && queued_.front().forget; queued_.erase(queued_.begin())) {
    const std::string &name = queued_.front().name;
    learned_.erase(
        std::remove_if(learned_.begin(), learned_.end(),
                       [&](const auto &templ) { return name.empty() || templ->name == name; }),
        learned_.end());
    any = true;
  }
  return any;
}

/// Creates a template on a separate thread.
TemplateSet::LearnedTemplates TemplateSet::make(const std::shared_ptr<Context> &context,
                                                const FrameExtent &frame,
                                                const Hough::Settings &search,
                                                const Pending &pending) {
  LearnedTemplates made;
  try {
    Queue queue(context);
    if (pending.sample) {
      made.templates =
          template_of_sample(queue, pending.name, pending.sample.get(), search,
                             layout_for(context->device()), accept(search, frame, made.too_large));
    } else {
      wait(pending.copied);
      made.templates = {make_template(queue, pending.name, search, pending.part)};
    }
  } catch (const std::exception &) {
    made.failure = std::current_exception();
  }
  return made;
}

void TemplateSet::start_next(const Hough::Settings &search) {
  if (queued_.empty()) return;
  const Pending pending = std::move(queued_.front());
  queued_.erase(queued_.begin());
  learning_.start([context = context_, frame = frame_, search, pending] {
    return make(context, frame, search, pending);
  });
}

bool TemplateSet::update(GstElement *element, Queue &queue, const Settings &settings,
                         const FrameOf &frame) {
  queue_requests(element, queue, frame);
  const EngineChange change = files_.update(element, settings.files, loader(settings, true));
  warn_of_files(element, change);
  bool changed = change == EngineChange::taken;
  changed |= take_learned(element);
  if (!learning_.is_running()) {
    changed |= forget_queued();
    start_next(settings.search);
  }
  if (changed) select(element, settings.search, true);
  return changed;
}

void TemplateSet::unprepare() {
  // Drop templates in progress; prepare() creates those of the property again.
  files_.cancel();
  learning_ = {};
  // Drop boxes copied from frames too: they are on the device.
  queued_.erase(std::remove_if(queued_.begin(), queued_.end(),
                               [](const Pending &pending) { return pending.part.width > 0; }),
                queued_.end());
  context_.reset();
}

}  // namespace glcl::hough
