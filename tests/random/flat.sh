#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# flat.sh copy|gl|external|egl PROGRAM FRAMES [ELEMENTS]: checks that small frames leak no memory
#
# PROGRAM is built from flat.cpp. With external and egl, the layer of the checker lets PoCL use textures
# of OpenGL.
here=$(dirname "$(readlink -f "$0")")
. "$here/../layer/common.sh"
program=$2 frames=$3 elements=${4:-glclinvert ! glclhistogram interval=0 attach-meta=true ! glclchain filters=grey}
use_driver "$1" || exit
unset MALLOC_PERTURB_
export XDG_RUNTIME_DIR=$scratch
[ "$driver" != gl ] || export RUSTICL_DEBUG=no_reuse_context
case $driver in
  external | egl) export OPENCL_LAYERS=$GLCL_LAYER LD_PRELOAD=$GLCL_LAYER ;;
esac
"$program" "$frames" \
  "gltestsrc num-buffers=$frames ! video/x-raw(memory:GLMemory),width=64,height=64 ! $elements ! fakesink name=last"
