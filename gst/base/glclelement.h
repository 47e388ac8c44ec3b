// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by all elements. An instance holds its parent and a C++ state object. The state's
// `settings` hold the values of the properties. Its optional `frame_settings` are copied from them
// for each frame, before passes_on and process:
//
//   struct InvertState {
//     glcl::Guarded<InvertProperties> settings;
//   };
//   struct _GstGLCLInvert {
//     GstGLCLFilter parent;
//     InvertState *state;
//   };
#pragma once

#include <type_traits>

#include "glclproperties.h"
#include "gstglclfilter.h"

namespace glcl {

/// How gst-inspect-1.0 describes an element. The texts must be literals.
struct ElementDescription {
  const char *name, *classification, *text;
  const char *page = nullptr;  ///< the element's page of the manual, a URL
  const char *author = "The gst-glcl developers";
};

template <class Self>
using StateOf = std::remove_pointer_t<decltype(Self::state)>;
template <class Self>
using SettingsOf = std::decay_t<decltype(StateOf<Self>().settings.get())>;

template <class State, class = void>
struct HasFrameSettings : std::false_type {};
template <class State>
struct HasFrameSettings<State, std::void_t<decltype(State::frame_settings)>> : std::true_type {};

/// Sets the description, a finalize that deletes the state, and begin_frame if the state has
/// `frame_settings`. The element's init creates the state. Call it first in class_init.
template <class Self>
void init_element_class(gpointer klass, const ElementDescription &description) {
  static gpointer parent_class;
  parent_class = g_type_class_peek_parent(klass);
  G_OBJECT_CLASS(klass)->finalize = [](GObject *object) {
    delete reinterpret_cast<Self *>(object)->state;
    G_OBJECT_CLASS(parent_class)->finalize(object);
  };
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  if constexpr (HasFrameSettings<StateOf<Self>>())
    filter_class->begin_frame = [](GstGLCLFilter *filter) {
      StateOf<Self> *state = reinterpret_cast<Self *>(filter)->state;
      state->frame_settings = state->settings.get();
    };
  auto *element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element_class, description.name, description.classification,
                                        description.text, description.author);
  if (description.page)
    gst_element_class_add_static_metadata(element_class, GST_ELEMENT_METADATA_DOC_URI,
                                          description.page);
}

/// Installs the properties of an element, which are the members of its settings.
template <class Self>
Properties<SettingsOf<Self>> install_properties(gpointer klass) {
  return {G_OBJECT_CLASS(klass), [](GObject *object) -> Guarded<SettingsOf<Self>> & {
            return reinterpret_cast<Self *>(object)->state->settings;
          }};
}

}  // namespace glcl
