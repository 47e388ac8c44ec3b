// SPDX-License-Identifier: LGPL-2.1-or-later
// Adds properties for the members of an element's settings. The settings are a plain struct: any
// thread sets and reads it, and each frame copies it once.
//
//   struct Settings {
//     double strength = 1;
//   };
//   glcl::Guarded<Settings> &settings_of(GObject *object);
//
//   glcl::Properties(object_class, settings_of)
//       .number("strength", "Strength", "0 keeps the picture", &Settings::strength, 0,
//       1);
#pragma once

#include <gst/gst.h>

#include <functional>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glcl {

/// A value shared by threads.
template <class Value>
class Guarded {
 public:
  Value get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(Value value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
  }
  /// Runs `use` on the value while it is locked.
  template <class Use>
  auto with(const Use &use) {
    const std::lock_guard lock(mutex_);
    return use(value_);
  }

 private:
  mutable std::mutex mutex_;
  Value value_;
};

/// A value of an enumeration as gst-inspect-1.0 shows it. The texts must be literals.
template <class Enum>
struct EnumValue {
  Enum value;
  const char *text, *nick;
};

/// Setter and getter of a property.
struct Accessors {
  std::function<void(GObject *, const GValue *)> set;
  std::function<void(GObject *, GValue *)> get;
};

/// Lets install_property() handle all properties of the class.
void take_properties(GObjectClass *object_class);
void install_property(GObjectClass *object_class, GParamSpec *spec, Accessors accessors);
/// Registers an enumeration, as plugin API.
GType register_enum(const char *name, const std::vector<GEnumValue> &values);
/// Registers flags, as plugin API.
GType register_flags(const char *name, const std::vector<GFlagsValue> &values);

template <class Enum>
GType enum_type(const char *name, std::initializer_list<EnumValue<Enum>> choices) {
  std::vector<GEnumValue> values;
  for (const auto &[value, text, nick] : choices)
    values.push_back({static_cast<gint>(value), text, nick});
  return register_enum(name, values);
}

inline void load(const GValue *value, bool &member) { member = g_value_get_boolean(value); }
inline void load(const GValue *value, int &member) { member = g_value_get_int(value); }
inline void load(const GValue *value, guint &member) { member = g_value_get_uint(value); }
inline void load(const GValue *value, guint64 &member) { member = g_value_get_uint64(value); }
inline void load(const GValue *value, double &member) { member = g_value_get_double(value); }
inline void load(const GValue *value, std::string &member) {
  const gchar *text = g_value_get_string(value);
  member = text ? text : "";
}
inline void store(bool member, GValue *value) { g_value_set_boolean(value, member); }
inline void store(int member, GValue *value) { g_value_set_int(value, member); }
inline void store(guint member, GValue *value) { g_value_set_uint(value, member); }
inline void store(guint64 member, GValue *value) { g_value_set_uint64(value, member); }
inline void store(double member, GValue *value) { g_value_set_double(value, member); }
inline void store(const std::string &member, GValue *value) {
  g_value_set_string(value, member.c_str());
}

/// When a property may be set. If it is set later, it keeps its value, with a warning.
constexpr auto while_playing = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                        GST_PARAM_MUTABLE_PLAYING);
constexpr auto controllable = static_cast<GParamFlags>(while_playing | GST_PARAM_CONTROLLABLE);
constexpr auto before_paused =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

/// Installs all properties of a class in the order of the calls. Defaults are the values in
/// Settings(). Numbers are controllable.
template <class Settings>
class Properties {
 public:
  using Find = Guarded<Settings> &(*)(GObject *);

  Properties(GObjectClass *object_class, Find settings_of)
      : object_class_(object_class), settings_of_(settings_of) {
    take_properties(object_class);
  }

  template <class Owner, class Number>
  Properties &number(const char *name, const char *nick, const char *blurb, Number Owner::*member,
                     std::common_type_t<Number> least, std::common_type_t<Number> most) {
    const Number initial = Settings().*member;
    GParamSpec *spec;
    if constexpr (std::is_same_v<Number, double>)
      spec = g_param_spec_double(name, nick, blurb, least, most, initial, controllable);
    else if constexpr (std::is_same_v<Number, guint64>)
      spec = g_param_spec_uint64(name, nick, blurb, least, most, initial, controllable);
    else
      spec = g_param_spec_int(name, nick, blurb, least, most, initial, controllable);
    return plain(spec, member);
  }

  /// A colour as 0xAARRGGBB, like in GStreamer's elements.
  template <class Owner>
  Properties &color(const char *name, const char *nick, const char *blurb, guint Owner::*member) {
    return plain(
        g_param_spec_uint(name, nick, blurb, 0, G_MAXUINT, Settings().*member, controllable),
        member);
  }

  template <class Owner>
  Properties &flag(const char *name, const char *nick, const char *blurb, bool Owner::*member,
                   GParamFlags flags = while_playing) {
    return plain(g_param_spec_boolean(name, nick, blurb, Settings().*member, flags), member);
  }

  template <class Owner>
  Properties &text(const char *name, const char *nick, const char *blurb,
                   std::string Owner::*member, GParamFlags flags = while_playing) {
    return plain(g_param_spec_string(name, nick, blurb, (Settings().*member).c_str(), flags),
                 member);
  }

  /// A property of a type made with enum_type(); the member is an enum, an int or a bool.
  template <class Owner, class Enum>
  Properties &choice(const char *name, const char *nick, const char *blurb, Enum Owner::*member,
                     GType type, GParamFlags flags = while_playing) {
    return other(
        g_param_spec_enum(name, nick, blurb, type, static_cast<gint>(Settings().*member), flags),
        [member](Settings &settings, const GValue *value) {
          settings.*member = static_cast<Enum>(g_value_get_enum(value));
        },
        [member](const Settings &settings, GValue *value) {
          g_value_set_enum(value, static_cast<gint>(settings.*member));
        });
  }

  /// A property of a type made with register_flags().
  template <class Owner>
  Properties &flags(const char *name, const char *nick, const char *blurb, guint Owner::*member,
                    GType type) {
    return other(
        g_param_spec_flags(name, nick, blurb, type, Settings().*member, while_playing),
        [member](Settings &settings, const GValue *value) {
          settings.*member = g_value_get_flags(value);
        },
        [member](const Settings &settings, GValue *value) {
          g_value_set_flags(value, settings.*member);
        });
  }

  /// Any other type, with `set (Settings &, const GValue *)` and `get (const Settings &, GValue
  /// *)`.
  template <class Set, class Get>
  Properties &other(GParamSpec *spec, Set set, Get get) {
    return made(
        spec, [](const GValue *value) { return value; }, set, get);
  }

  /// The same for values whose conversion takes long: `make (const GValue *)` runs while the
  /// settings are unlocked, then `set (Settings &, result)` runs while they are locked.
  template <class Make, class Set, class Get>
  Properties &made(GParamSpec *spec, Make make, Set set, Get get) {
    install_property(object_class_, spec,
                     {[find = settings_of_, make, set](GObject *object, const GValue *value) {
                        const auto given = make(value);
                        find(object).with([&](Settings &settings) { set(settings, given); });
                      },
                      [find = settings_of_, get](GObject *object, GValue *value) {
                        find(object).with([&](const Settings &settings) { get(settings, value); });
                      }});
    return *this;
  }

 private:
  template <class Owner, class Value>
  Properties &plain(GParamSpec *spec, Value Owner::*member) {
    return other(
        spec, [member](Settings &settings, const GValue *value) { load(value, settings.*member); },
        [member](const Settings &settings, GValue *value) { store(settings.*member, value); });
  }

  GObjectClass *object_class_;
  Find settings_of_;
};

}  // namespace glcl
