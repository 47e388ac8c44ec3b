// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of kernels/opticalflow/tuned.clh, each found by what a kernel does with small frames.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/buffers.h"
#include "kernels/probe.h"
#include "noise/interface.h"
#include "opticalflow/interface.h"

namespace opticalflow = glcl::opticalflow;
using glcl::noise::NOISE_VALUES;
using opticalflow::CellEvidence;

namespace {

constexpr int border = opticalflow::BORDER;

/// A level without padding.
cl_int4 level_of(int width, int height) {
  const int pitch = width + 2 * border;
  return {{width, height, pitch, border * pitch + border}};
}

/// The plane of a level, by a function of the place. The border continues it.
std::vector<float> plane(int width, int height, const std::function<double(int x, int y)> &grey) {
  std::vector<float> texels;
  for (int y = -border; y < height + border; y++)
    for (int x = -border; x < width + border; x++) texels.push_back(float(grey(x, y)));
  return texels;
}

// Matches.

/// A match of a cell and its motion along x, px.
struct Match {
  int column, row, motion;
};

/// The first mode of the left one of two cells along x, px; a missing mode is 10000.
float mode_of(Bench &bench, const std::vector<Match> &matches) {
  constexpr int width = 2 * opticalflow::MODE_CELL, height = opticalflow::MODE_CELL;
  constexpr size_t cells = 2;
  std::vector<cl_uint> claims(size_t(width * height));
  for (const Match &match : matches) {
    const int at = match.row * opticalflow::MATCH_Y * width + match.column * opticalflow::MATCH_X;
    claims[size_t(at)] = cl_uint(at + match.motion + 1);
  }
  glcl::Kernel find(*bench.context,
                    bench.context->program("opticalflow/candidates.cl", "-DNODES=8"), "flow_modes",
                    {});
  const cl::Buffer modes = upload(bench, std::vector<cl_float4>(cells)),
                   grey = upload(bench, std::vector<float>(claims.size())),
                   brightness = upload(bench, std::vector<cl_float2>(2));
  find(*bench.queue, {cells * find.group().x, 1}, upload(bench, claims), cl_int2{{width, height}},
       cl_int2{{width / opticalflow::MATCH_X, height / opticalflow::MATCH_Y}}, grey, grey, width, 0,
       modes, upload(bench, std::vector<cl_float2>(cells + 2)), brightness, brightness, 0);
  return download<cl_float4>(bench, modes, 1)[0].s[0];
}

}  // namespace

// The matches that make a mode, and their differences.
TEST(test_modes) {
  Bench bench;
  // Matches of the right cell confirm those of the left one, but do not vote there.
  const auto votes = [&](int count) {
    std::vector<Match> matches;
    for (int i = 0; i < 3; i++) matches.push_back({4, i, 2});
    for (int i = 0; i < count; i++) matches.push_back({3, i, 2});
    return mode_of(bench, matches);
  };
  fail_unless(votes(3) == 2 && votes(2) == 10000, "LEAST_VOTES");
  const auto mean = [&](int other) {
    std::vector<Match> matches;
    for (int i = 0; i < 3; i++) matches.push_back({0, i, 5}), matches.push_back({1, i, other});
    return mode_of(bench, matches);
  };
  fail_unless(mean(6) == 5.5f && mean(7) == 5, "MODE_TOLERANCE");
}

namespace {

/// A flat frame, a later one and a node with one candidate, 20 texels to the right.
struct Choice {
  static constexpr int width = 64, height = 20, node_x = 30;
  float own = 8, other = 0;  // change along the node's flow, along the candidate, levels
  float flow = 0, flat_cost = 0, noise = 0;
  float second = 1e4f;                    // texels, the motion of another candidate
  int distance = 0;                       // cells from the node to that with the mode
  std::function<double(int off)> change;  // of texels off the candidate's target, else `other`
};

class Choose {
 public:
  /// True if the node takes the candidate.
  bool operator()(const Choice &choice) { return flow(choice) == 20; }
  /// The motion along x that the node takes.
  float flow(const Choice &choice) {
    constexpr int columns = Choice::width / 4, rows = Choice::height / 4, nodes = 8;
    const cl_float2 none{{1e4f, 0}};
    std::vector<cl_float4> modes(size_t(columns * rows), cl_float4{{1e4f, 0, 1e4f, 0}});
    modes[size_t(2 * columns + Choice::node_x / 4 - choice.distance)] = {{20, 0, choice.second, 0}};
    std::vector<float> noise(NOISE_VALUES, choice.noise);
    noise.back() = 0;
    std::vector<cl_float2> pairs(modes.size() + 2, cl_float2{{-1, 0}});
    const auto after = plane(Choice::width, Choice::height, [&](int x, int) {
      const int off = x - Choice::node_x - 20;
      return 100 + (x < 40 && !choice.change ? choice.own
                    : choice.change          ? choice.change(off)
                                             : choice.other);
    });
    const cl::Buffer result = upload(bench_, std::vector<cl_float2>(nodes, none));
    // The last one of 4 × 2 nodes, 10 texels apart.
    select_(*bench_.queue, {select_.group().x, select_.group().y},
            upload(bench_, plane(Choice::width, Choice::height, [](int, int) { return 100; })),
            upload(bench_, after), upload(bench_, std::vector<cl_float2>(2, cl_float2{{1, 0}})),
            upload(bench_, noise), upload(bench_, modes), upload(bench_, pairs),
            upload(bench_, std::vector<cl_float2>(nodes, cl_float2{{choice.flow, 0}})), result,
            opticalflow::CandidateChoice{level_of(Choice::width, Choice::height),
                                         {{1, 1, 100, 0}},
                                         {{4, 2}},
                                         {{columns, rows}},
                                         10,
                                         4,
                                         1,
                                         1,
                                         choice.flat_cost});
    return download<cl_float2>(bench_, result, nodes)[nodes - 1].s[0];
  }

 private:
  Bench bench_;
  glcl::Kernel select_{*bench_.context,
                       bench_.context->program("opticalflow/candidates.cl", "-DNODES=8"),
                       "flow_select",
                       {}};
};

}  // namespace

// The costs at which a node takes a candidate.
TEST(test_costs) {
  Choose choose;
  const auto other = [&](Choice choice) {
    return limit(0.1, 7.9, [&](float other) {
      choice.other = other;
      return choose(choice);
    });
  };
  Choice choice;
  expect_number(other(choice), 8 * std::sqrt(0.4), "COST_RATIO");
  choice.noise = 1e-6f;
  expect_number(other(choice), 8 * std::sqrt(0.4 - 0.2), "CODING_PART");
  // 0.4 times the cost of leaving, less the flat cost.
  Choice leaving;
  leaving.flow = 100, leaving.flat_cost = 4;
  expect_number(other(leaving), std::sqrt((0.4 * 5 - 1) * 4), "LEAVING_COST");
}

// The candidates of a node, and the samples around it.
TEST(test_candidates) {
  Choose choose;
  Choice choice;
  choice.distance = 5;
  fail_unless(choose(choice), "FARTHEST: 5 cells");
  choice.distance = 6;
  fail_unless(!choose(choice), "FARTHEST: 6 cells");
  // Every second texel along the candidate is equal.
  Choice similar;
  similar.change = [](int off) { return off % 2 ? 8 : 0; };
  expect_number(limit(1.1, 1.9,
                      [&](float apart) {
                        similar.flow = 20 - apart;
                        return choose(similar);
                      }),
                1.5, "SAME_MOTION");
  // The further along the second candidate, the smaller the change.
  Choice near;
  near.change = [](int off) { return off < -8 ? 8 : off % 2 ? -6 : 6; };
  expect_number(limit(0.15, 0.45,
                      [&](float apart) {
                        near.second = 20 + apart;
                        return choose.flow(near) == near.second;
                      }),
                0.25, "SAME_CANDIDATE");
  // The others are not, and neither are those more than 6 texels away.
  Choice sampled;
  sampled.change = [](int off) { return off % 2 || std::abs(off) > 6 ? 8 : 0; };
  fail_unless(choose(sampled), "SAMPLE_SPACING");
}

namespace {

/// Two frames of 8 cells whose columns are of one grey. The later one moved by a px, in part.
struct Strip {
  static constexpr int width = 64, height = opticalflow::CELL_NODES, cells = 8;
  std::vector<double> part = std::vector<double>(cells, 1);  // of the motion, by cell
  double sideways = 0;  // px, of the flow along y, up and down by turns
  double row_ratio = 0;
  bool census = false;

  double before(int x) const { return 100 + 3 * signs[size_t(x + border + 1)]; }
  double after(int x) const {
    const double moved = part[size_t(std::clamp(x, 0, width - 1) / 8)];
    return moved * before(x - 1) + (1 - moved) * before(x);
  }
  /// The part of the change of cells that remains along the flow.
  double remaining(int first, int last) const {
    double with = 0, without = 0;
    for (int cell = first; cell < last; cell++) {
      double squares[2]{}, sums[2]{};
      const int end = std::min(8 * cell + 8, width - 1);  // the last column leaves the frame
      for (int x = 8 * cell; x < end; x++) {
        const double off[2] = {after(x) - before(x), after(x + 1) - before(x)};
        for (int i = 0; i < 2; i++) sums[i] += off[i], squares[i] += off[i] * off[i];
      }
      without += squares[0] - sums[0] * sums[0] / (end - 8 * cell);
      with += squares[1] - sums[1] * sums[1] / (end - 8 * cell);
    }
    return with / without;
  }
  double most_remaining() const {
    double most = 0;
    for (int cell = 0; cell < cells; cell++) most = std::max(most, remaining(cell, cell + 1));
    return most;
  }

 private:
  static std::vector<int> random_signs() {
    std::mt19937 next(5);
    std::vector<int> list(width + 2 * border + 2);
    for (int &sign : list) sign = next() >> 16 & 1 ? 1 : -1;
    return list;
  }
  std::vector<int> signs = random_signs();
};

struct Verified {
  opticalflow::FrameTally tally;
  std::vector<CellEvidence> evidence;
  bool flickers;
};

Verified verify(Bench &bench, const Strip &strip) {
  constexpr int width = Strip::width, height = Strip::height, nodes = width * height;
  const auto before = plane(width, height, [&](int x, int) { return strip.before(x); }),
             after = plane(width, height, [&](int x, int) { return strip.after(x); });
  std::vector<cl_float2> flow;
  for (int i = 0; i < nodes; i++)
    flow.push_back({{1, float(i % 2 ? strip.sideways : -strip.sideways)}});
  std::vector<float> tally(sizeof(opticalflow::FrameTally) / sizeof(float));
  tally.resize(tally.size() + size_t(height), float(strip.row_ratio));
  const cl::Buffer state = upload(bench, std::vector<glcl::noise::NoiseState>(1)),
                   tallies = upload(bench, tally),
                   evidence = upload(bench, std::vector<CellEvidence>(Strip::cells)),
                   greys = upload(bench, before), other_greys = upload(bench, after),
                   none = upload(bench, std::vector<cl_uint>(before.size())),
                   brightness = upload(bench, std::vector<cl_float2>{{{1, 0}}, {{0, 0}}});
  glcl::Kernel kernel(
      *bench.context,
      bench.context->program("opticalflow/verify.cl", strip.census ? "-DCENSUS" : ""),
      "flow_verify", {size_t(width), 1});
  kernel(
      *bench.queue, {size_t(width), 1}, strip.census ? none : greys,
      strip.census ? none : other_greys, greys, other_greys, brightness, state, upload(bench, flow),
      upload(bench, std::vector<float>(nodes)), brightness, evidence, tallies,
      opticalflow::NodeVerification{
          level_of(width, height), {{1, 1, 1, 0}}, {{width, height}}, {{Strip::cells, 1}}, 1, 0});
  const auto found = download<glcl::noise::NoiseState>(bench, state, 1)[0];
  bool flickers = false;
  for (cl_uint count : found.flicker.histogram) flickers = flickers || count;
  return {download<opticalflow::FrameTally>(bench, tallies, 1)[0],
          download<CellEvidence>(bench, evidence, Strip::cells), flickers};
}

}  // namespace

// The strips of cells that count as moving, and their cells at the frame's edge.
TEST(test_strips) {
  Bench bench;
  Strip strip;
  const double part = limit(0.3, 1, [&](float moved) {
    std::fill(strip.part.begin(), strip.part.end(), moved);
    return verify(bench, strip).tally.consistent > 0;
  });
  std::fill(strip.part.begin(), strip.part.end(), part);
  expect_number(strip.remaining(0, Strip::cells), 0.85, "STRIP_RESIDUAL");

  Strip sideways;
  expect_number(limit(0, 3,
                      [&](float up) {
                        sideways.sideways = up;
                        return verify(bench, sideways).tally.consistent > 0;
                      }),
                1, "STRIP_CONSISTENCY");  // it is 1 / (1 + up²)

  Strip edge;
  edge.part[3] = limit(0.3, 1, [&](float moved) {
    edge.part[3] = moved;
    return verify(bench, edge).tally.edge_cells == Strip::cells;
  });
  expect_number(edge.remaining(3, 4), 0.97, "EDGE_RESIDUAL");
}

// The remaining part of the change from which it is flicker, in grey and in census.
TEST(test_unexplained) {
  Bench bench;
  for (bool census : {false, true}) {
    Strip strip;
    strip.census = census;
    const double part = limit(0.4, 1, [&](float moved) {
      std::fill(strip.part.begin(), strip.part.end(), moved);
      return verify(bench, strip).flickers;
    });
    std::fill(strip.part.begin(), strip.part.end(), part);
    expect_number(strip.most_remaining(), census ? 0.4 : 0.7,
                  census ? "CENSUS_UNEXPLAINED" : "GREY_UNEXPLAINED");
  }
}

// The late part of a row's change, and the confidence without texture.
TEST(test_evidence) {
  Bench bench;
  Strip strip;
  strip.row_ratio = 0.1;
  const CellEvidence cell = verify(bench, strip).evidence[0];
  double squares = 0;
  for (int x = 0; x < 8; x++) squares += 8 * std::pow(0.1 * strip.before(x), 2);
  expect_number(cell.row_residual.s[1], 0.3 * 0.3 * squares, "DELAYED_PART");
  expect_number(cell.flow_stats.s[0], 64 * 0.001, "LEAST_CONFIDENCE");
}

// The data term of the refinement: the quality of a match, and a tensor without texture.
TEST(test_data_term) {
  // All channels differ by a; b: the motion.
  const auto match = [](const std::string &result) {
    return Probe(
        {"opticalflow/refine.cl"}, "-DGROUP_Y=4",
        "__global char4 *before = (__global char4 *)(out + 16), *after = before + 64;\n"
        "for (int i = 0; i < 64; i++) before[i] = (char4)(0), after[i] = (char4)((char)a);\n"
        "float2 rhs;\n"
        "const float4 tensor = match(before, after, (int4)(8, 8, 8, 0), 0.6f, (int2)(4),\n"
        "                            (float2)(b, 0.0f), &rhs);\n"
        "*out = " +
            result + ";");
  };
  expect_number(match("tensor.w")(20), 1 / (1 + 4 * std::pow(20 / 127.0, 2) / 0.1), "HALF_MATCH");
  expect_number(match("tensor.x")(0, 1000), 1e-4, "MIN_DIAGONAL");
}

// The speed below which vectors stay in noise. The mean of the vectors is 1 px.
TEST(test_static_speed) {
  Bench bench;
  glcl::Kernel finish(*bench.context,
                      bench.context->program("opticalflow/refine.cl", "-DGROUP_Y=8"),
                      "refine_finish", {1, 1});
  const auto stays = [&](float speed) {
    const cl::Buffer one = upload(bench, std::vector<float>(25, 1)),
                     vectors = upload(bench, std::vector<cl_float2>{{{speed, 0}}});
    finish(*bench.queue, {1, 1}, upload(bench, std::vector<cl_float2>{{{1, 0}}}), one, one,
           level_of(1, 1), one, one, upload(bench, std::vector<float>(NOISE_VALUES, 4)), vectors,
           upload(bench, std::vector<float>(1)), one, cl_int2{{1, 1}}, 0);
    return (1 - download<cl_float2>(bench, vectors, 1)[0].s[0]) / (1 - speed);
  };
  const auto at = [&](float part) {
    return limit(0.001, 0.5, [&](float speed) { return stays(speed) > part; });
  };
  expect_number(at(0.998f), 0.05, "NOISY_STATIC_SPEED");
  expect_number(at(0.002f), 0.1, "NOISY_STATIC_SPEED");
}

// The speed that is drawn at full brightness. All pixels move at the same speed.
TEST(test_gain) {
  Bench bench;
  glcl::Kernel summary(*bench.context,
                       bench.context->program("opticalflow/report.cl", "-DITEMS=128"),
                       "flow_summary", {});
  const auto gain = [&](float speed, bool fresh) {
    opticalflow::FlowSummary before{};
    before.gain = 20;
    const cl::Buffer result = upload(bench, std::vector{before});
    summary(*bench.queue, {128, 1},
            upload(bench, std::vector<cl_float8>{{{0, 0, speed, speed * speed}}}), 1, 1, 0.0f,
            int(fresh), upload(bench, std::vector<float>(NOISE_VALUES)), result);
    return download<opticalflow::FlowSummary>(bench, result, 1)[0].gain;
  };
  expect_number(gain(2, true), 3 * 2, "FULL_COLOUR");
  expect_number(gain(0.1f, true), 1, "LEAST_FULL_COLOUR");
  expect_number(gain(10, false), 20 + 0.1 * (30 - 20), "GAIN_FOLLOWS");
}
