#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# locales.sh: builds locales for the tests, so that they need not be installed
#
# Scripts source it and call `make_locale de_DE` and `in_locale de_DE COMMAND...`. Run alone, it checks
# that numbers have commas and that messages of GStreamer are translated in these locales; it skips if
# they cannot be built.

# make_locale NAME: builds the locale; fails if that is impossible
make_locale() {
  local folder=$GLCL_BUILD/tests/run/locales
  mkdir -p "$folder"
  [[ -e $folder/$1.UTF-8 ]] && return
  command -v localedef >/dev/null || return 1
  rm -rf "$folder/new.$$"
  # localedef exits with 1 if the locale is incomplete
  localedef -i "$1" -f UTF-8 "$folder/new.$$" >/dev/null 2>&1 || [[ -e $folder/new.$$/LC_NUMERIC ]] || return 1
  mv -T "$folder/new.$$" "$folder/$1.UTF-8" 2>/dev/null || rm -rf "$folder/new.$$"
}

# in_locale NAME COMMAND...: runs the command in the locale, or in C if it was not built
in_locale() {
  local folder=$GLCL_BUILD/tests/run/locales name=$1
  shift
  if [[ -e $folder/$name.UTF-8 ]]; then
    LOCPATH=$folder LC_ALL=$name.UTF-8 LANG=$name.UTF-8 LANGUAGE=${name%_*} "$@"
  else
    "$@"
  fi
}

[[ ${BASH_SOURCE[0]} == "$0" ]] || return 0
set -euo pipefail
for name in de_DE tr_TR; do
  if ! make_locale "$name"; then
    echo "SKIP: $name cannot be built without localedef and /usr/share/i18n (packages libc-bin, locales); recipes were tested in English"
    exit 77
  fi
  number=$(in_locale "$name" bash -c 'printf %.1f 1,5')
  [[ $number == 1,5 ]] || { echo "in $name 1.5 is $number"; exit 1; }
  if in_locale "$name" gst-launch-1.0 no-such-element 2>"$GLCL_BUILD/tests/run/locales/messages"; then exit 1; fi
  ! grep -q 'erroneous pipeline' "$GLCL_BUILD/tests/run/locales/messages" ||
    echo "the translations of GStreamer for $name are not installed"
done
