// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/opticalflow/tuned.clh, each found by calling functions of the kernels.
#include <cmath>
#include <string>
#include <vector>

#include "kernels/probe.h"
#include "opticalflow/interface.h"

namespace {

const std::vector<std::string> verify{"opticalflow/verify.clh"},
    noise{"opticalflow/level.clh", "opticalflow/noise.clh"};

}  // namespace

// Contrast and brightness of a cell.
TEST(test_contrast) {
  Probe weight(verify, "", "*out = contrast_weight(a * a, b);");
  expect_number(limit(0.1, 3, [&](float change) { return weight(0.01, change) > 0.5f; }), 0.5,
                "BRIGHTNESS_TOLERANCE");
  weight.expect_ramp(0, 20, 2, 4, "CONTRAST_RATIO", 2.5);
  weight.expect_ramp(0, 20, 3, 6, "MOST_BRIGHTNESS_CHANGE", 50);
  Probe(verify, "", "*out = visibility(a * a);").expect_ramp(0, 10, 2, 3, "LEAST_CONTRAST");
}

// The agreement of a cell in grey.
TEST(test_agreement) {
  Probe agreement(verify, "", "*out = grey_agreement(a, 0.0f, b);");
  expect_number(agreement(9, 0), 1 - 0.48, "AGREEING_PART");
  expect_number(agreement(0.025, 0), 0.5 * (1 - 0.48), "LEAST_GREY_CHANGE");
  Probe(verify, "", "*out = grey_agreement(9.0f, 0.0f, a) + AGREEING_PART;")
      .expect_ramp(0, 1, 0.4, 0.6, "GREY_RESIDUAL");
  Probe single(verify, "", "*out = single_motion((float4)(1.0f, 0.0f, 0.0f, a * a), b);");
  single.expect_ramp(0, 1, 0.02, 0.04, "SINGLE_MOTION_DEVIATION");
  single.expect_ramp(0, 1, 0.1, 0.2, "SINGLE_MOTION_DEVIATION, with noise", 4);
}

// The parts of the change that the flow of an area may leave or must explain.
TEST(test_areas) {
  const double residual[][2] = {{0.05, 0.1}, {0.15, 0.25}, {0.3, 0.4}},
               explained[][2] = {{0.9, 0.95}, {0.35, 0.45}, {0.2, 0.3}};
  for (int area = 0; area < 3; area++) {
    const std::string number = std::to_string(area);
    Probe(verify, "",
          "CellEvidence sum = {(float4)(1.0f, a, 0.0f, 1.0f)};\n"
          "*out = area_keep_factor(sum, " +
              number + ");")
        .expect_ramp(0, 1, residual[area][0], residual[area][1], "area_residual");
    // A residual of 0.5; in a cell only a smaller one counts.
    Probe consistent(
        verify, "",
        "CellEvidence sum = {(float4)(1.0f, b, 0.0f, 1.0f)};\n"
        "sum.flow_sum = (float2)(sqrt(a / (1.0f - b)), 0.0f), sum.flow_squares = 1.0f;\n"
        "*out = area_keep_factor(sum, " +
            number + ");");
    if (area)
      consistent.expect_ramp(0, 0.5, explained[area][0], explained[area][1], "area_explained", 0.5);
    else
      fail_unless(consistent(0.85, 0.15) == 0, "area_explained of a cell");
  }
  Probe limited(verify, "",
                "CellEvidence sum = {(float4)(a, 0.0f, 1.0f, 1.0f)};\n"
                "sum.flow_sum = (float2)(1.0f, 0.0f), sum.flow_squares = 1.0f;\n"
                "*out = area_keep_factor(sum, (int)b);");
  expect_number(limit(0, 2, [&](float change) { return limited(change, 0) > 0; }), 0.25,
                "NOISE_LIMITED");
  limited.expect_ramp(0, 0.2, 0.005, 0.02, "NOISE_EXPLAINED", 2);
}

namespace {

/// The keep factor of a cell in a frame of 100 × 100 cells. `changes` has statements that change
/// the cells `around`, the sums of `rows`, `tally` and `state`.
Probe keep_factor_probe(const std::string &changes) {
  return {verify, "",
          "__local CellEvidence around[9], rows[2 * AREA_REACH + 1];\n"
          "__global FrameTally *tally = (__global FrameTally *)(out + 4);\n"
          "__global Flicker *flicker = (__global Flicker *)(out + 64);\n"
          "const CellEvidence nothing = {(float4)(0.0f)};\n"
          "for (int i = 0; i < 9; i++) around[i] = nothing, around[i].contrast = 100.0f;\n"
          "for (int i = 0; i < 2 * AREA_REACH + 1; i++) rows[i] = nothing;\n"
          "tally->changed_cells = tally->consistent = tally->edge_cells = tally->rolling = 0;\n"
          "tally->agreement = 0, flicker->variance = 0.0f;\n" +
              changes +
              "\n*out = keep_factor(around + 4, 3, rows, 1, 9, (int2)(100), 0, 0.0f, 0.0f, "
              "(float2)(0.0f), tally, flicker).x;"};
}

const std::string camera =
                      "tally->changed_cells = tally->consistent = tally->edge_cells = 10000;\n",
                  kept = "for (int i = 0; i < 9; i++) around[i].change = (float4)(1, 0, 0, 1);\n";

}  // namespace

// The cells that show a moving camera.
TEST(test_camera) {
  keep_factor_probe(camera + "tally->consistent = 10000.0f * a;")
      .expect_ramp(0.2, 1, 0.4, 0.6, "CAMERA_PART");
  keep_factor_probe(camera + "tally->consistent = tally->changed_cells = 10000.0f * a;")
      .expect_ramp(0, 1, 0.05, 0.1, "CAMERA_CELLS");
  // The edge has 2 cells on each side of 100.
  keep_factor_probe(camera + "tally->edge_cells = 10000.0f * a;")
      .expect_ramp(0, 1, 0.4 * 0.0784, 0.55 * 0.0784, "CAMERA_EDGE_PART, EDGE_CELLS");
  keep_factor_probe(camera + "tally->agreement = 1e7f * a;")
      .expect_ramp(-0.2, 0.2, -0.06, -0.01, "CAMERA_AGREEMENT");
}

// Other reasons to keep the flow of a cell or not.
TEST(test_reasons) {
  keep_factor_probe(camera +
                    "tally->rolling = 1000;\n"
                    "for (int i = 0; i < 9; i++) around[i].row_residual = (float2)(a, 1.0f);")
      .expect_ramp(0, 9, 1.5, 2, "ROW_RESIDUAL_RATIO");
  keep_factor_probe(kept +
                    "flicker->variance = 1.0f;\n"
                    "for (int i = 0; i < 9; i++) around[i].grey_variance = a;")
      .expect_ramp(0, 9, 2.25, 3, "FLICKER_RATIO");
  keep_factor_probe("rows[0].change = (float4)(1, 0, 0, 1), rows[0].agreement = a;")
      .expect_ramp(0.001, 1, 0.05, 0.15, "AREA_AGREEMENT");
}

// Overlays that rest although the flow moves them.
TEST(test_overlays) {
  // Pixels differ by `height` levels from their left neighbours.
  Probe overlay({"opticalflow/verify.cl"}, "",
                "*out = static_overlay(in, in, (int4)(4, 4, 4, 0), (int2)(0), (int2)(1), "
                "(float2)(1.0f, 0.0f), 0.0f, (float2)(b, 0.0f));");
  const auto confidence = [&](double height, double speed) {
    std::vector<float> plane(32);
    for (size_t i = 0; i < plane.size(); i++) plane[i] = float(height * double(i % 4));
    return overlay(0, speed, plane);
  };
  const auto height = [&](double part) {
    return limit(0, 20, [&](float height) { return confidence(height, 1) > part; });
  };
  // Squared, relative to OVERLAY_LEAST.
  expect_number(height(0.002), std::sqrt(2 * 4), "OVERLAY_RATIO, OVERLAY_LEAST");
  expect_number(height(0.998), std::sqrt(4 * 4), "OVERLAY_RATIO, OVERLAY_LEAST");
  const auto speed = [&](double part) {
    return limit(0, 1, [&](float speed) { return confidence(1000, speed) > part; });
  };
  expect_number(speed(0.002), std::sqrt(0.1), "OVERLAY_MOTION");
  expect_number(speed(0.998), std::sqrt(0.3), "OVERLAY_MOTION");
  const std::string half = "*out = 1.0f - interpolated_noise((float2)(0.5f, 0.0f));";
  expect_number(Probe({"opticalflow/verify.cl"}, "", half)(0), 0.5 * (1 - 0.32),
                "NEIGHBOUR_CORRELATION");
  expect_number(Probe({"opticalflow/verify.cl"}, "-DCENSUS", half)(0), 0.5 * (1 - 0.16),
                "NEIGHBOUR_CORRELATION of census");
}

// The response of texels to noise and encoders.
TEST(test_texels) {
  const std::string file = "opticalflow/verify.cl", quiet =
                                                        "const Noise noise = {0.0f, 0.0f, 0.0f};\n"
                                                        "const float4 gain = (float4)(1.0f);\n";
  expect_number(Probe(noise, "", "*out = census_softness(0.0f, 1.0f);")(0), 2.5 * 2.5,
                "CENSUS_DEVIATION");
  expect_number(Probe(noise, "", "*out = census_softness(1.0f, 1.0f);")(0), 6.25 + 36 * 1.33,
                "SOFTNESS");
  expect_number(Probe(noise, "", quiet + "*out = most_coding_noise(noise, gain);")(0), 2 * 8,
                "CODING_LIMIT");
  expect_number(Probe(noise, "-DCENSUS", quiet + "*out = most_coding_noise(noise, gain);")(0),
                2 * 127 * 127 / 6.25, "CODING_LIMIT of census");
  expect_number(Probe(noise, "", quiet + "*out = change_limit(noise, gain);")(0), 10, "LIMIT");
  expect_number(Probe(noise, "", "*out = tensor(0.0f, 1.0f, 0.0f).x;")(0), 0.001, "TRACE_WEIGHT");
}

// The step that noise permits. The tensor has two equal eigenvalues.
TEST(test_steps) {
  // Noise of variance 1 in slopes, 2 in changes; a: the eigenvalue or the speed, b: the step.
  const auto step = [](const std::string &flow, const std::string &eigenvalue,
                       const std::string &step, const std::string &more = "") {
    return Probe(noise, "",
                 "const Noise noise = {0.0f, 0.0f, 0.0f};\n"
                 "float4 gain = (float4)(1.0f, 1.0f, 0.0f, 0.0f), sum = (float4)(" +
                     eigenvalue + ", 0.0f, " + eigenvalue +
                     ", 1.0f);\n"
                     "float residual = 0.0f;\n" +
                     more + "const float2 flow = (float2)(" + flow + ", 0.0f), step = (float2)(" +
                     step +
                     ", 0.0f);\n"
                     "*out = noise_limited(flow, flow + step, sum, residual, noise, gain, 0.5f, "
                     "(int2)(1000000)).x - flow.x;");
  };
  const auto moves = [](Probe probe, double low, double high) {
    return limit(low, high, [&](float a) { return probe(a) > 1e-6f; });
  };
  expect_number(moves(step("1.0f", "a", "1.0f"), 0.1, 50), 1 + 0.5, "SCATTER");
  expect_number(moves(step("0.0f", "a", "1000.0f"), 0.1, 50), 1 + 6, "STATIC_SCATTER");
  expect_number(moves(step("0.0f", "1000.0f", "a"), 0, 1), std::sqrt(14 * 2 * 0.5 / 1000),
                "SIGNIFICANCE");
  expect_number(
      moves(step("0.0f", "1000.0f", "a", "sum.w = 0.01f, gain.z = 1000.0f, residual = 10.0f;\n"), 0,
            1),
      std::sqrt(14 * 0.7 * 10 * 0.5 / 1000), "RESIDUAL_PART");
  // The bound of the eigenvalue 3 is 1.5 for moving nodes and 7 for static ones.
  expect_number(moves(step("a", "3.0f", "1000.0f"), 0.01, 1), 0.1 * (2 - 1.5 / 5.5),
                "STATIC_SPEED");
}

// The matches that confirm another one.
TEST(test_matches) {
  // In a cell and b cells around it; vectors around differ by a px.
  Probe confirmed({"opticalflow/match.clh"}, "",
                  "const int pitch = 2 * CONFIRM_X + 1, count = pitch * (2 * CONFIRM_Y + 1);\n"
                  "__local short4 tile[(2 * CONFIRM_X + 1) * (2 * CONFIRM_Y + 1)];\n"
                  "for (int i = 0; i < count; i++)\n"
                  "  tile[i] = i < (int)b ? (short4)(1, 1, 5 + (short)a, 5) : (short4)(-1);\n"
                  "tile[CONFIRM_Y * pitch + CONFIRM_X] = (short4)(1, 1, 5, 5);\n"
                  "*out = confirmed(tile, pitch).x;");
  fail_unless(confirmed(0, 2) > 0 && confirmed(0, 1) < 0, "CONFIRMING");
  fail_unless(confirmed(1, 3) > 0 && confirmed(2, 3) < 0, "TOLERANCE");
}

// The contrast of a pixel's lattice that gives a signature, and a steep difference.
TEST(test_signature) {
  // All of the 20 differences are a; the first one is a b.
  Probe signature({"opticalflow/signatures.cl"}, "-DTILE_X=32 -DTILE_Y=24",
                  "float p[LATTICE][LATTICE];\n"
                  "for (int i = 0; i < LATTICE * LATTICE; i++)\n"
                  "  p[i / LATTICE][i % LATTICE] = (i / LATTICE + i % LATTICE) % 2 ? 0.0f : a;\n"
                  "p[0][0] *= b;\n"
                  "const uint found = signature_of(p);\n"
                  "*out = found == 0u ? 0.0f : 1.0f + found % 65536u;");
  expect_number(limit(1, 1000, [&](float height) { return signature(height, 1) > 0; }), 1920 / 20.0,
                "LEAST_SUM");
  const float steep = signature(1000, 1);
  expect_number(limit(0, 1, [&](float part) { return signature(1000, part) == steep; }), 19 / 24.0,
                "STEEP_RATIO");
}

namespace {

/// The brightness that rolls through rows with these relative changes.
class Rolling {
 public:
  float operator()(const std::vector<float> &ratios) {
    return probe_(double(ratios.size()), 0, ratios);
  }

 private:
  // The first row is computed from two equal frames.
  Probe probe_{{"opticalflow/level.clh", "opticalflow/rowbrightness.clh"},
               "",
               "__local float4 sums[1];\n__local int last;\n"
               "__global float *tables = out + 16;\n"
               "__global FrameTally *tally = (__global FrameTally *)tables;\n"
               "tally->finished_groups = 0;\n"
               "for (int i = 0; i < (int)a; i++) ROW_RATIOS_OF(tally)[i] = in[i];\n"
               "find_row_ratios(in, in, (int4)(1, 1, 1, 0), (float2)(1.0f, 0.0f), 0, 1, (int)a, 1,"
               " tables, sums, &last);\n"
               "*out = tally->rolling / 1000.0f;"};
};

std::vector<float> wave(int rows, double height, double rough) {
  std::vector<float> ratios;
  for (int i = 0; i < rows; i++)
    ratios.push_back(float(height * std::sin(2 * M_PI * i / 100) + (i % 2 ? rough : -rough)));
  ratios[0] = 0;
  return ratios;
}

}  // namespace

// The deviation of rows that shows rolling brightness, and how smooth it is.
TEST(test_rolling) {
  Rolling rolling;
  const auto height = [&](double part) {
    return limit(0, 0.1, [&](float height) { return rolling(wave(200, height, 0)) > part; });
  };
  expect_number(height(0.002), 0.004 * M_SQRT2, "ROLLING_DEVIATION");
  expect_number(height(0.998), 0.008 * M_SQRT2, "ROLLING_DEVIATION");
  const auto roughness = [&](double part) {
    const double rough =
        limit(0, 0.1, [&](float rough) { return rolling(wave(200, 0.1, rough)) > part; });
    const std::vector<float> ratios = wave(200, 0.1, rough);
    double mean = 0, variance = 0, steps = 0;
    for (float ratio : ratios) mean += ratio / 200;
    for (size_t i = 0; i < ratios.size(); i++) {
      variance += std::pow(ratios[i] - mean, 2) / 200;
      if (i) steps += std::pow(ratios[i] - ratios[i - 1], 2) / 199;
    }
    return steps / variance;
  };
  expect_number(roughness(0.998), 0.05, "ROUGHNESS");
  expect_number(roughness(0.002), 0.08, "ROUGHNESS");
  fail_unless(rolling(wave(24, 0.1, 0)) > 0 && rolling(wave(23, 0.1, 0)) == 0, "FEWEST_ROWS");
}

// How the last lattice becomes the field.
TEST(test_upsampling) {
  const std::vector<std::string> file{"opticalflow/upsample.cl"};
  const std::string options = "-DROWS=4";
  Probe(file, options,
        "*out = toward_single_motion((float2)(a, 0.0f), (float4)(0.0f, 1.0f, a, 0.1f), 1.0f).y "
        "/ 0.1f;")
      .expect_ramp(0.01, 1, 0.1, 0.2, "STATIC_PX");
  Probe(file, options,
        "*out = toward_single_motion((float2)(5.0f, 0.0f), (float4)(0.0f, 1.0f, 5.0f + a, 0.0f), "
        "1.0f).x == 5.0f ? 0.0f : (toward_single_motion((float2)(5.0f, 0.0f), (float4)(0.0f, 1.0f,"
        " 5.0f + a, 0.0f), 1.0f).x - 5.0f) / a;")
      .expect_ramp(0.1, 4, 0.5, 1, "NEAR_MOTION");
  Probe bends(file, options,
              "__local float2 tile[19 * 19];\n"
              "for (int i = 0; i < 19 * 19; i++) tile[i] = (float2)(0.0f);\n"
              "tile[9 * 19 + 9 + (int)a] = (float2)(1.0f, 0.0f);\n"
              "*out = bending_confidence(tile + 9 * 19 + 9, 19);");
  fail_unless(bends(4) == 0.5f && bends(2) == 1 && bends(8) == 1, "BEND_DISTANCE");
}

// The change of a row of pixels of which some changed by other content.
TEST(test_rows) {
  constexpr int count = 40, changed = 12, change = 20;
  std::vector<float> frames(4 * count, 100);  // two frames; every second pixel counts
  for (int i = 0; i < changed; i++) frames[size_t(2 * count + 2 * i)] += change;
  Probe ratio({"opticalflow/level.clh", "opticalflow/rowbrightness.clh"}, "",
              "__local float4 sums[1];\n__local int last;\n"
              "__global FrameTally *tally = (__global FrameTally *)(out + 16);\n"
              "tally->finished_groups = 0;\n"
              "find_row_ratios(in, in + (int)a, (int4)((int)a, 1, (int)a, 0), (float2)(1.0f, 0.0f),"
              " 0, 1, 1, 1, out + 16, sums, &last);\n"
              "*out = ROW_RATIOS_OF(tally)[0];");
  double expected = 0;
  for (int sweep = 0; sweep < 3; sweep++) {
    double sum = 0, weights = 0;
    for (int i = 0; i < count; i++) {
      const double own = i < changed ? change : 0, off = (own - 100 * expected) / 8;
      const double weight = sweep ? std::pow(1 + off * off, -2) : 1;
      sum += weight * 100 * own, weights += weight * 100 * 100;
    }
    expected = sum / weights;
  }
  expect_number(ratio(2 * count, 0, frames), expected, "SWEEPS, OUTLIER");
}

// The pairs of matching pixels that show a change of brightness.
TEST(test_pairs) {
  // a pairs whose pixels differ by b levels, up and down.
  Probe residual({"opticalflow/candidates.cl"}, "-DNODES=1",
                 "__local float4 sums[1];\n"
                 "__global float2 *pairs = (__global float2 *)(out + 16);\n"
                 "out[2] = 1.0f, out[3] = 0.0f;\n"
                 "for (int i = 0; i < (int)a; i++)\n"
                 "  pairs[i] = (float2)(i & 2 ? 50 : 200, (i & 2 ? 50 : 200) + (i & 1 ? b : -b));\n"
                 "fit_brightness(pairs, (int)a, true, (__global float2 *)(out + 2),\n"
                 "               (__global float2 *)(out + 6), sums);\n"
                 "*out = pairs[(int)a].x;");
  fail_unless(residual(16, 1) > 0 && residual(15, 1) < 0, "LEAST_PAIRS");
  expect_number(limit(0.5, 3.9, [&](float off) { return residual(64, off) > 0; }), 2,
                "MOST_PAIR_RESIDUAL");
}

// The fit of a change of brightness by a levels, which leaves a difference of one level.
TEST(test_fit) {
  Probe fitted({"opticalflow/candidates.cl"}, "-DNODES=1",
               "__local float4 sums[1];\n"
               "__global float2 *pairs = (__global float2 *)(out + 16);\n"
               "out[2] = 1.0f, out[3] = 0.0f;\n"
               "for (int i = 0; i < 64; i++) {\n"
               "  const float level = i & 2 ? 50.0f : 200.0f;\n"
               "  pairs[i] = (float2)(level, level + a + (i & 1 ? 1.0f : -1.0f));\n"
               "}\n"
               "fit_brightness(pairs, 64, true, (__global float2 *)(out + 2),\n"
               "               (__global float2 *)(out + 6), sums);\n"
               "*out = out[6] != out[2] || out[7] != out[3];");
  expect_number(limit(1.05, 2.9, [&](float change) { return fitted(change) > 0; }), 1 / 0.8,
                "BETTER_FIT");
}

// The scale of differences in noise.
TEST(test_sharpness) {
  Probe sharp({"opticalflow/refine.cl"}, "-DGROUP_Y=4",
              "const Noise noise = {0.0f, 0.0f, a};\n*out = sharpness(noise, 1.0f);");
  expect_number(sharp(0), 1, "CENSUS_DEVIATION");
  expect_number(sharp(100), 0.4, "LEAST_SHARPNESS");
}

namespace {

/// The mean of 3 × 3 vectors along x, 4 texels apart, with these greys.
double mean_of(Probe &probe, const std::vector<double> &flow, const std::vector<double> &grey) {
  constexpr int side = 19, texels = side * side;
  std::vector<float> all(4 * texels, 1);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      const int place = y * side + x;
      const bool seen = std::abs(x - 9) % 4 == 0 && std::abs(y - 9) % 4 == 0 &&
                        std::abs(x - 9) <= 4 && std::abs(y - 9) <= 4;
      const size_t number = seen ? size_t((y - 5) / 4 * 3 + (x - 5) / 4) : 0;
      all[size_t(2 * place)] = seen ? float(flow[number]) : 99;
      all[size_t(2 * place + 1)] = 0;
      all[size_t(3 * texels + place)] = seen ? float(grey[number]) : 0;
    }
  return probe(0, 0, all);
}

/// The same by the formula.
double expected_mean(const std::vector<double> &flow, const std::vector<double> &grey) {
  double mean = flow[4];
  for (int step = 0; step < 3; step++) {
    double sum = 0, all = 0;
    for (int i = 0; i < 9; i++) {
      if (i == 4 && step == 0) continue;
      const double apart = std::pow(i % 3 - 1, 2) + std::pow(i / 3 - 1, 2);
      const double weight = std::exp(-std::pow((grey[size_t(i)] - grey[4]) / 14, 2) / 2 -
                                     apart / std::pow(2, 2) / 2) /
                            std::hypot(flow[size_t(i)] - mean, 0.1);
      sum += weight, all += weight * flow[size_t(i)];
    }
    mean = all / sum;
  }
  return mean;
}

}  // namespace

// The weights of vectors in the mean of the refinement.
TEST(test_mean) {
  Probe probe({"opticalflow/refine.cl"}, "-DGROUP_Y=4",
              "*out = mean_of((__global const float2 *)in, in + 2 * 361, in + 3 * 361,"
              " (int4)(19, 19, 19, 0), (int2)(9)).x;");
  const std::vector<double> even(9), corners{21, 0, 21, 0, 0, 0, 21, 0, 21};
  const auto check = [&](double other, double centre, double shift, const std::vector<double> &grey,
                         const char *what) {
    std::vector<double> flow{other, 1, other, 1, centre, 1, other, 1, other};
    for (double &v : flow) v -= shift;
    expect_number(mean_of(probe, flow, grey), expected_mean(flow, grey), what);
  };
  check(5, 3, 2.8, even, "DISTANCE_DEVIATION, MEAN_SPACING");
  check(2, 2, 1.75, even, "MEAN_EPSILON");
  check(5, 3, 0, corners, "GREY_DEVIATION");
}

// The smoothness of the refinement across an edge, and for small differences.
TEST(test_smoothness) {
  const std::vector<std::string> file{"opticalflow/refine.cl"};
  const std::string options = "-DGROUP_Y=4";
  Probe edge(file, options, "*out = (edge_weight(0.0f, a) & 255u) / 255.0f;");
  expect_number(edge(200), 0.12, "LEAST_EDGE");
  expect_number(edge(8), 0.12 + 0.88 * std::exp(-1), "EDGE_CONTRAST");
  Probe smooth(file, options,
               "*out = smoothness_weight(1.0f / 255.0f, 255u, 0, (float2)(0.0f), "
               "(float2)(a, 0.0f));");
  expect_number(smooth(0), 1 / 0.05, "SMOOTHNESS_EPSILON");
}
