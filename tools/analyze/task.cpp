// SPDX-License-Identifier: LGPL-2.1-or-later
#include "task.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace glcl::analyze {

namespace {

Json time_json(GstClockTime time) { return GST_CLOCK_TIME_IS_VALID(time) ? Json(time) : Json(); }

GstClockTime time_of(const Json &json) {
  return json.is_null() ? GST_CLOCK_TIME_NONE : json.get<GstClockTime>();
}

}  // namespace

bool Task::has(const char *element) const {
  return std::find(elements.begin(), elements.end(), element) != elements.end();
}

Json Task::json() const {
  return {{"file", escaped(file)}, {"folder", escaped(folder)}, {"elements", elements},
          {"device", device},      {"from", time_json(from)},   {"to", time_json(to)},
          {"part", part}};
}

Task Task::of(const Json &json) {
  Task task;
  task.file = unescaped(json.at("file"));
  task.folder = unescaped(json.at("folder"));
  task.elements = json.at("elements").get<std::vector<std::string>>();
  task.device = json.at("device");
  task.from = time_of(json.at("from"));
  task.to = time_of(json.at("to"));
  task.part = json.at("part");
  return task;
}

std::string dump(const Json &json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string escaped(const std::string &path) {
  std::string text;
  const auto add = [&](char c) {
    char code[4];
    g_snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    text += code;
  };
  for (size_t at = 0; at < path.size();) {
    const gchar *end = nullptr;
    const char *begin = path.data() + at;
    g_utf8_validate(begin, static_cast<gssize>(path.size() - at), &end);
    for (; begin < end; begin++, at++)
      if (*begin == '%')
        add('%');
      else
        text += *begin;
    if (at < path.size()) add(path[at++]);
  }
  return text;
}

std::string unescaped(const std::string &text) {
  std::string path;
  for (size_t i = 0; i < text.size(); i++)
    if (text[i] == '%' && i + 2 < text.size()) {
      path += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      path += text[i];
    }
  return path;
}

std::string shown(const std::string &path) {
  gchar *valid = g_utf8_make_valid(path.data(), static_cast<gssize>(path.size()));
  std::string text = valid;
  g_free(valid);
  return text;
}

std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  if (in) content << in.rdbuf();
  if (!in || in.bad()) throw Failure(shown(path) + ": " + std::strerror(errno));
  return content.str();
}

void write_file(const std::string &path, const std::string &content) {
  const auto fail = [&] {
    throw Failure("cannot write " + shown(path) + ": " + g_strerror(errno));
  };
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail();
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += n;
  }
  const bool whole = done == content.size() && fsync(fd) == 0;
  const int reason = errno;
  close(fd);
  errno = reason;
  if (!whole) fail();
}

Json read_json(const std::string &path) {
  Json json = Json::parse(read_file(path), nullptr, false);
  if (json.is_discarded()) throw Failure(shown(path) + " is no JSON");
  return json;
}

}  // namespace glcl::analyze
