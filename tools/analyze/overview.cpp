// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overview.h"

#include <gio/gio.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "folder.h"

namespace glcl::analyze {

namespace {

constexpr char page_name[] = "overview.html";
constexpr char mark[] = "<!DOCTYPE html>\n<!-- written by glcl-analyze -->\n";
constexpr char head[] = R"(<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>glcl-analyze</title>
<style>
:root { color-scheme: light dark }
body { font: 14px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 0 auto; padding: 16px }
div { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 3px 14px 3px 0; text-align: right; font-weight: normal; white-space: nowrap }
th { opacity: 0.7 } th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 9em }
</style>
</head>
<body>
)";

std::string escaped_html(const std::string &text) {
  gchar *escaped = g_markup_escape_text(text.c_str(), -1);
  std::string copy = escaped;
  g_free(escaped);
  return copy;
}

/// The address of a page in a folder beside the overview.
std::string address(const std::string &name) {
  gchar *escaped =
      g_uri_escape_bytes(reinterpret_cast<const guint8 *>(name.data()), name.size(), nullptr);
  std::string copy = std::string("./") + escaped + "/index.html";
  g_free(escaped);
  return copy;
}

std::string duration_text(const Json &duration) {
  if (!duration.is_number_unsigned()) return "";
  const guint64 seconds = (whole(duration) + GST_SECOND / 2) / GST_SECOND;
  gchar *text = g_strdup_printf("%u:%02u:%02u", unsigned(seconds / 3600),
                                unsigned(seconds / 60 % 60), unsigned(seconds % 60));
  std::string copy = text;
  g_free(text);
  return copy;
}

std::string row_of(const std::string &name, const Json &summary) {
  const auto cell = [](const std::string &text) { return "<td>" + escaped_html(text) + "</td>"; };
  const auto number = [&](const char *field) {
    return cell(summary.contains(field) ? dump(summary[field]) : "");
  };
  return "<tr><td><a href=\"" + escaped_html(address(name)) + "\">" + escaped_html(shown(name)) +
         "</a></td>" + cell(duration_text(summary.value("duration", Json()))) +
         cell(dump(summary.at("width")) + "×" + dump(summary.at("height"))) + number("frames") +
         number("lost") + number("shots") + number("objects") + "</tr>\n";
}

/// The names of complete results, sorted.
std::vector<std::string> results_in(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name[0] != '.' && entry.is_directory() && !entry.is_symlink()) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void write_overview(const std::string &path) {
  const Folder folder = Folder::named(path);
  if (folder.has(page_name) && folder.read(page_name).rfind(mark, 0) != 0) return;
  std::string rows;
  size_t count = 0;
  for (const std::string &name : results_in(path)) {
    const std::optional<Folder> results = folder.find(name);
    if (!results || !results->has("summary.json") || !results->has("index.html")) continue;
    try {
      rows += row_of(name, results->json("summary.json"));
      count++;
    } catch (const std::exception &) {
      continue;  // of another program, or damaged
    }
  }
  if (!count) return;
  folder.write(
      page_name,
      std::string(mark) + head + "<h1>" + std::to_string(count) +
          (count == 1 ? " film" : " films") +
          "</h1>\n<div><table>\n<tr><th>file</th><th>duration</th><th>size, px</th><th>frames</th>"
          "<th>lost</th><th>shots</th><th>objects</th></tr>\n" +
          rows + "</table></div>\n</body>\n</html>\n");
}

}  // namespace glcl::analyze
