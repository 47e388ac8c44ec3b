#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# site.sh FOLDER: builds the manual as a website, with mkdocs-material (package of this name); a broken link is an error
#
# Exits with 77 if it is missing.
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '3s/^# //p' "$0"; exit ;;
  --version) sed -n "s/.*version: '\([^']*\)'.*/site.sh \1/p;T;q" "$(dirname "$0")/../meson.build"; exit ;;
  '' | -*) sed -n '3s/^# \([^:]*\).*/usage: \1/p' "$0" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
mkdocs=$([[ -x /usr/bin/mkdocs ]] && echo /usr/bin/mkdocs || command -v mkdocs) || {
  echo 'SKIP: mkdocs is not installed'
  exit 77
}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
pages=$(mktemp -d)
trap 'rm -rf "$pages" "$pages".*' EXIT

# Pages and the files that they link to keep their relative paths. A linked folder becomes a list of its
# files.
cd "$root"
find README.md CONTRIBUTING.md NEWS.md SECURITY.md docs research packaging pipelines gst kernels reference tests tools examples \
  -type f \( -name '*.md' -o -name '*.png' -o -name '*.webp' -o -name '*.css' -o -name '*.sh' -o -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.rs' -o -name '*.cl' -o -name '*.clh' -o -name '*.py' -o -name '*.json' -o -name '*Dockerfile' -o -name '*.yml' -o -name llms.txt \) \
  -exec cp --parents -t "$pages" {} +
grep -rhoE '\]\((\.\./)*(packaging|pipelines|reference|research|tests|tools|kernels|gst|examples)[a-z/-]*\)' --include='*.md' "$pages" |
  sed -E 's/^\]\((\.\.\/)*//; s/\)$//' | sort -u >"$pages/linked"
while read -r linked; do
  [[ -d $pages/$linked && ! -e $pages/$linked/README.md ]] || continue
  (cd "$pages/$linked" && find . -type f ! -name index.md | sort | sed 's/^\.\///; s/.*/- [&](&)/') >"$pages/list"
  { echo "# $linked"; echo; cat "$pages/list"; } >"$pages/$linked/index.md"
done <"$pages/linked"
rm -f "$pages/list" "$pages/linked"
(cd docs && printf '%s\n' glcl[a-z]*.md glopencl*.md | sed 's/\(.*\)\.md/    - \1: docs\/&/') >"$pages.elements"
sed "/# docs\/site.sh puts/{r $pages.elements
  d}" mkdocs.yml >"$pages.yml"
if ! GLCL_SITE_PAGES=$pages "$mkdocs" build --strict --clean --config-file "$pages.yml" --site-dir "$folder" 2>"$pages.log"; then
  if grep -q "theme name.*'material'" "$pages.log"; then
    echo 'SKIP: mkdocs-material is not installed'
    exit 77
  fi
  grep -v '^INFO' "$pages.log" >&2
  exit 1
fi
# Coding agents look for /llms.txt.
sed -i 's/\](\([a-z-]*\)\.md)/](\1.html)/g' "$folder/docs/llms.txt"
sed 's/\](/](docs\//g' "$folder/docs/llms.txt" >"$folder/llms.txt"
echo "$folder/index.html"
