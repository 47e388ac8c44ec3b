// SPDX-License-Identifier: LGPL-2.1-or-later
// The fast generalised Hough transform's spaces in the forms of Gómez Luna's thesis (2012), tables
// 5.4 and 5.5: pairings, sizes, places.
#include <algorithm>
#include <memory>

#include "base.h"
#include "hough/transform.h"
#include "reference/hough/pairings.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"
#include "reference/transfer.h"
#include "tools/bench/subject.h"

namespace glcl::research {

namespace {

using namespace bench;
using hough::Canny;
using hough::Pairings;
using hough::Transform;

constexpr size_t edges = 5061, template_edges = 512;  // "Basket" of table 5.5
constexpr size_t room = size_t(1) << 20, template_room = size_t(1) << 16;

struct Maps {
  cl::Buffer scene, shape;
  int width, height, side;
};

/// The edges of clutter with a logo in it, and of the logo.
Maps maps_of(Context &context, const Scene &scene) {
  Queue queue(context.shared_from_this());
  const Layout layout = layout_for(context.device());
  const reference::Thing logo = reference::things()[2];
  reference::Frame frame =
      reference::noisy(reference::clutter_frame(scene.width, scene.height, 1), 8, 1);
  reference::place(frame, logo, {frame.width / 2.0, frame.height / 2.0, 33, 0.9});
  const auto map = [&](const reference::Frame &of) {
    Canny canny(context, of.width, of.height, layout);
    canny.run(queue, {3, 6, false}, reference::upload(queue, of, layout));
    queue.cl().finish();
    return canny.edges();
  };
  const reference::Frame picture = logo.picture();
  return {map(frame), map(picture), frame.width, frame.height, picture.width};
}

std::vector<uint16_t> download(Queue &queue, const cl::Buffer &map, size_t count) {
  std::vector<uint16_t> values(count);
  queue.cl().enqueueReadBuffer(map, CL_TRUE, 0, count * sizeof values[0], values.data());
  return values;
}

reference::Pairings expected(Queue &queue, const Maps &maps, bool shape) {
  return shape ? reference::Pairings(download(queue, maps.shape, size_t(maps.side) * maps.side),
                                     maps.side, template_edges, template_room)
               : reference::Pairings(download(queue, maps.scene, size_t(maps.width) * maps.height),
                                     maps.width, edges, room);
}

Step base_step() {
  return {"unsorted lists (BASE)", [](Context &context, const Scene &scene) {
            const Maps maps = maps_of(context, scene);
            const auto engine =
                std::make_shared<BasePairings>(context, maps.width, maps.height, edges, room);
            Run run;
            run.enqueue = [=](Queue &queue) { engine->run(queue, maps.scene); };
            run.compare = [=](Queue &queue) {
              run.enqueue(queue);
              return compare_equal(queue, engine->space(), expected(queue, maps, false).space,
                                   "pairings");
            };
            return run;
          }};
}

Step pairings_step(const char *name, Pairings::Form form) {
  return {name, [=](Context &context, const Scene &scene) {
            const Maps maps = maps_of(context, scene);
            const auto engine =
                std::make_shared<Pairings>(context, maps.width, maps.height, edges, room, form);
            Run run;
            run.enqueue = [=](Queue &queue) {
              engine->run(queue, maps.scene, {0, 0, maps.width, maps.height});
            };
            run.compare = [=](Queue &queue) {
              run.enqueue(queue);
              return compare_equal(queue, engine->space(), expected(queue, maps, false).space,
                                   "pairings");
            };
            return run;
          }};
}

/// The votes for sizes, or with `copies` those for places.
Step votes_step(const std::string &name, Pairings::Form form, int copies) {
  return {name, [=](Context &context, const Scene &scene) {
            const Maps maps = maps_of(context, scene);
            const auto before = std::make_shared<Pairings>(context, maps.side, maps.side,
                                                           template_edges, template_room, form),
                       after = std::make_shared<Pairings>(context, maps.width, maps.height, edges,
                                                          room, form);
            Transform::Settings settings;
            settings.copies = std::max(copies, 1);
            const auto transform =
                std::make_shared<Transform>(context, maps.width, maps.height, settings, form);
            Queue queue(context.shared_from_this());
            before->run(queue, maps.shape, {0, 0, maps.side, maps.side});
            after->run(queue, maps.scene, {0, 0, maps.width, maps.height});
            transform->run(queue, *before, *after);
            queue.cl().finish();
            Run run;
            run.enqueue = [=](Queue &own) {
              if (copies)
                transform->find_place(own, *before, *after);
              else
                transform->find_size(own, *before, *after);
            };
            run.compare = [=](Queue &own) {
              run.enqueue(own);
              const auto shape = expected(own, maps, true), all = expected(own, maps, false);
              const auto agreement = reference::agreement(shape, all);
              const auto turn = static_cast<int>(
                  std::max_element(agreement.begin(), agreement.end()) - agreement.begin());
              const auto sizes = reference::scale_votes(shape, all, turn);
              if (!copies) return compare_equal(own, transform->size_votes(), sizes, "votes");
              const auto size =
                  static_cast<int>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
              return compare_equal(own, transform->place_votes(),
                                   reference::shift_votes(shape, all, turn, size, 0), "votes");
            };
            return run;
          }};
}

const Registration registration("glclhough", [](Subject &subject) {
  subject.ablations.push_back({"pairings of 5061 edges (O)",
                               {base_step(), pairings_step("balanced (LB)", Pairings::balanced),
                                pairings_step("one in registers (SSM)", Pairings::saving)},
                               {}});
  subject.ablations.push_back({"sizes of a logo's pairings (S)",
                               {votes_step("balanced (LB)", Pairings::balanced, 0),
                                votes_step("one in registers (SSM)", Pairings::saving, 0)},
                               {}});
  Ablation places{"places of a logo's pairings (D)", {}, {}};
  for (const auto &[name, form] : {std::pair{"balanced (LB)", Pairings::balanced},
                                   {"one in registers (SSM)", Pairings::saving}})
    for (const int copies : {1, 4, 16, 64})
      places.steps.push_back(
          votes_step(std::string(name) + ", copies: " + std::to_string(copies), form, copies));
  subject.ablations.push_back(places);
});

}  // namespace

}  // namespace glcl::research
