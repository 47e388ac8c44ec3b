#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# glcl-tune.sh: glcl-tune measures variants, saves the best one, and the element uses it
#
# Changed kernels replace those of the plugin: of four variants the default one is slow, and another one
# is wrong.
set -euo pipefail
# shellcheck source=tests/tools/common.sh
. "${0%/*}/common.sh"
source=$GLCL_SOURCE/kernels/bilateral/vector.cl

mkdir -p kernels/bilateral
sed '/^inline void filter_vector(/,/^}/ {
  /^  const int side = 2 \* radius + 1;$/a\
#if ROWS == 2\
  for (volatile int turn = 0; turn < 3000; turn++);\
#endif
  /^  const int rows = /i\
#if ROWS == 1\
  radius = max(radius - 1, 0);\
#endif
}' "$source" >kernels/bilateral/vector.cl
(($(diff "$source" kernels/bilateral/vector.cl | grep -c '^> ') == 6)) || die 'the kernels have changed; this test has to be adapted'
export G_RESOURCE_OVERLAYS=/org/gst-glcl/kernels/bilateral=$PWD/kernels/bilateral

# saved_rows: prints the parameter of the only saved variant
saved_rows() { python3 -c 'import json; entry, = json.load(open("data/glcl/tuning.json"))["entries"]; print(entry["parameters"]["rows"])'; }

few=(glclbilateral --only 'color, radius 4' --variants 'form=2 group-x=16 group-y=4')
expect 0 glcl-tune "${few[@]}"
says '0/4 color, radius 4 ' errors
says 'skipped, wrong result: columns=1 fixed=0 form=2 group-x=16 group-y=4 rows=1 ' errors
best=$(saved_rows)
[[ $best == [34] ]] || die "rows=$best is saved, not the fastest correct variant"
expect 0 glcl-tune --show glclbilateral
says tuned

# The element uses the saved variant.
GST_DEBUG=glclbilateral:4 GST_DEBUG_NO_COLOR=1 timeout 100 gst-launch-1.0 -q gltestsrc num-buffers=1 ! \
  glclbilateral radius=4 method=brute-force ! fakesink >output 2>errors || die 'the element fails'
grep -q "brute force: .*rows=$best " errors || die 'the element uses another variant'

# With too little time only the default variant is measured.
expect 0 glcl-tune "${few[@]}" --seconds 0.001
says '3 of 4 variants were not measured' errors
(($(saved_rows) == 2)) || die 'a variant other than the default was saved'

expect 2 glcl-tune "${few[@]}" --seconds 0
says '--seconds: give a number above 0' errors
expect 2 glcl-tune glclbilateral --only nothing
says '--only "nothing": no work has this text' errors
expect 2 glcl-tune glclbilateral --variants rows
says '--variants "rows": write NAME=NUMBER' errors

# If the default variant is wrong, nothing is saved.
sed -i 's/#if ROWS == 1/#if ROWS == 2/' kernels/bilateral/vector.cl
rm -r data
expect 2 glcl-tune "${few[@]}"
says 'the default variant fails on' errors
[[ ! -e data/glcl/tuning.json ]] || die 'a variant was saved'

# Costs for plans of chains are measured and saved too; they have no variants.
unset G_RESOURCE_OVERLAYS
expect 0 glcl-tune glclchain --only costs --seconds 0.001
says 'costs of plans'
expect 0 glcl-tune --show glclchain
says tuned
python3 -c '
import json
entry, = json.load(open("data/glcl/tuning.json"))["entries"]
assert entry["kernel"] == "chain-costs" and set(entry["parameters"]) == {"picture", "read", "local"}
assert any(entry["parameters"].values()) and entry["microseconds"] > 0' || die 'the saved costs are wrong'
