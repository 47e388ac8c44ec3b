#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# api.sh FOLDER: documents all declarations, with doxygen (package doxygen); a malformed comment is an error
#
# Exits with 77 if doxygen is missing.
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '3s/^# //p' "$0"; exit ;;
  --version) sed -n "s/.*version: '\([^']*\)'.*/api.sh \1/p;T;q" "$(dirname "$0")/../meson.build"; exit ;;
  '' | -*) sed -n '3s/^# \([^:]*\).*/usage: \1/p' "$0" >&2; exit 2 ;;
esac
command -v doxygen >/dev/null || {
  echo 'SKIP: doxygen is not installed'
  exit 77
}
mkdir -p "$1"
GLCL_API=$(cd "$1" && pwd)
export GLCL_API
cd "$(dirname "$0")/.."
doxygen docs/Doxyfile
echo "$GLCL_API/index.html"
