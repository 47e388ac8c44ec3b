// SPDX-License-Identifier: LGPL-2.1-or-later
#include "words.h"

#include <regex>
#include <set>
#include <sstream>

namespace glcl::chain {

namespace {

/// The functions of OpenCL C 1.2, except functions that access a kernel's memory, wait, print or
/// return a work-item's position.
constexpr const char words[] = R"(
  PIXEL HERE at earlier x y width height

  break case const constant __constant continue default do else enum for goto if inline private
  __private restrict return sizeof static struct switch typedef union volatile while
  true false NULL

  void bool signed unsigned size_t ptrdiff_t intptr_t uintptr_t

  acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh
  cospi erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb
  ldexp lgamma lgamma_r log log2 log10 log1p logb mad maxmag minmag modf nan nextafter pow pown
  powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma
  trunc

  half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr
  half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_divide native_exp native_exp2
  native_exp10 native_log native_log2 native_log10 native_powr native_recip native_rsqrt native_sin
  native_sqrt native_tan

  abs abs_diff add_sat hadd rhadd clamp clz mad_hi mad_sat max min mul_hi rotate sub_sat upsample
  popcount mad24 mul24
  degrees mix radians step smoothstep sign
  cross dot distance length normalize fast_distance fast_length fast_normalize
  isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan
  isnormal isordered isunordered signbit any all bitselect select
  vec_step shuffle shuffle2

  MAXFLOAT HUGE_VALF HUGE_VAL INFINITY NAN FP_ILOGB0 FP_ILOGBNAN CHAR_BIT)";

}  // namespace

bool is_allowed(const std::string &word) {
  static const auto *listed = [] {
    auto *all = new std::set<std::string>;
    std::istringstream text(words);
    for (std::string one; text >> one;) all->insert(one);
    return all;
  }();
  static const auto *patterns = new std::regex(
      "(u?(char|short|int|long)|float|double|half)(2|3|4|8|16)?|"
      "(convert|as)_(u?(char|short|int|long)|float|double|half)(2|3|4|8|16)?(_sat)?(_rt[ezpn])?|"
      "[xyzw]{1,4}|[rgba]{1,4}|s[0-9a-fA-F]{1,16}|lo|hi|even|odd|"
      "(M|FLT|DBL|HALF|U?(CHAR|SHRT|INT|LONG)|SCHAR)_[A-Z0-9_]{1,24}");
  constexpr size_t longest = 40;
  return listed->count(word) || (word.size() <= longest && std::regex_match(word, *patterns));
}

}  // namespace glcl::chain
