// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes file names and texts of libraries safe for terminals.
#pragma once

#include <glib.h>

#include <cstring>
#include <string>

namespace glcl {

/// A text in one line without terminal codes. Control codes and marks that change the writing
/// direction become ?; invalid UTF-8 becomes U+FFFD. Characters in `kept` stay.
inline std::string printable(const std::string &text, const char *kept = "") {
  gchar *valid = g_utf8_make_valid(text.data(), static_cast<gssize>(text.size()));
  std::string shown;
  for (const gchar *at = valid; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    const bool turns = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    if ((g_unichar_iscntrl(c) || turns) && !(c < 128 && std::strchr(kept, static_cast<int>(c))))
      shown += '?';
    else
      shown.append(at, static_cast<const gchar *>(g_utf8_next_char(at)));
  }
  g_free(valid);
  return shown;
}

/// Escapes the control characters that JSON allows unescaped: DEL, and U+0080 to U+009F.
inline std::string escape_controls(const std::string &json) {
  std::string escaped;
  const auto add = [&](char c) {
    char code[8];
    g_snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(c));
    escaped += code;
  };
  for (size_t i = 0; i < json.size(); i++)
    if (json[i] == '\x7f')
      add(json[i]);
    else if (json[i] == '\xc2' && i + 1 < json.size() &&
             static_cast<unsigned char>(json[i + 1]) < 0xa0)
      add(json[++i]);
    else
      escaped += json[i];
  return escaped;
}

}  // namespace glcl
