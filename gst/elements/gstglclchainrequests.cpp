// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclchainrequests.h"

#include <algorithm>
#include <utility>

namespace glcl::chain {

namespace {

Description read_chain(const ChainOrigin &origin) {
  Folders folders;
  gchar **parts = g_strsplit(origin.path.c_str(), G_SEARCHPATH_SEPARATOR_S, -1);
  for (gchar **part = parts; *part; part++)
    if (**part) folders.emplace_back(*part);
  g_strfreev(parts);
  const Description chain = !origin.filters.empty() || origin.location.empty()
                                ? parse_chain(origin.filters, "filters", folders)
                                : load_chain(origin.location, folders);
  if (origin.picture.empty()) chain.check_without_picture();
  return chain;
}

void signal_children(GstElement *element, const RequestPtr &before, const RequestPtr &after) {
  static const std::vector<Child> none;
  const auto &old = before ? before->children : none, &fresh = after ? after->children : none;
  const auto emit_each = [&](const std::vector<Child> &these, const std::vector<Child> &others,
                             void (*emit)(GstChildProxy *, GObject *, const gchar *)) {
    for (const Child &child : these)
      if (std::find(others.begin(), others.end(), child) == others.end())
        emit(GST_CHILD_PROXY(element), G_OBJECT(child.get()), GST_OBJECT_NAME(child.get()));
  };
  emit_each(old, fresh, gst_child_proxy_child_removed);
  emit_each(fresh, old, gst_child_proxy_child_added);
}

}  // namespace

Description ChainRequest::now(int iterations) const {
  Description now = description;
  now.iterations = iterations;
  for (size_t i = 0; i < children.size(); i++) now.items[i].values = child_values(children[i]);
  return now;
}

/// Children for a chain that replaces the current one; children with the same name and kind are
/// reused.
std::vector<Child> ChainRequests::children_for(GstElement *element, const Description &description,
                                               const RequestPtr &before) {
  std::vector<Child> children;
  for (const Item &item : description.items) {
    Child known;
    for (size_t i = 0; before && i < before->children.size(); i++)
      if (before->description.items[i].name == item.name) known = before->children[i];
    const bool stays = known && renew_child(known, item);
    children.push_back(stays ? known : make_child(item, element));
  }
  return children;
}

/// Sets the request and returns the previous one.
RequestPtr ChainRequests::exchange(const RequestPtr &request) {
  return requested_.with([&](RequestPtr &now) { return std::exchange(now, request); });
}

void ChainRequests::replace(GstElement *element, const RequestPtr &request) {
  signal_children(element, exchange(request), request);
}

void ChainRequests::read(GstElement *element, const std::function<ChainOrigin()> &origin) {
  const auto request = std::make_shared<ChainRequest>();
  RequestPtr before;
  {
    const std::lock_guard lock(reading_);
    request->description = read_chain(origin());
    files_.set(request->description.files);
    request->children = children_for(element, request->description, requested_.get());
    refused_last_ = false;
    before = exchange(request);
  }
  signal_children(element, before, request);
}

void ChainRequests::refuse(GstElement *element, const RequestPtr &refused,
                           const RequestPtr &previous) {
  const bool replaced = requested_.with([&](RequestPtr &now) {
    if (now != refused) return false;
    now = previous;
    refused_last_ = true;
    return true;
  });
  if (replaced) signal_children(element, refused, previous);
}

bool ChainRequests::files_changed() {
  // Frames do not wait for a thread that reads files.
  const std::unique_lock lock(reading_, std::try_to_lock);
  return lock && files_.due() && files_.changed();
}

}  // namespace glcl::chain
