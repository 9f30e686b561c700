#!/bin/sh
# Mutants of FBX files through ufbx's C code under sanitisers: run.sh COUNT FILE...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
count=$1
shift
source=$(cargo metadata --format-version 1 --manifest-path "$here/../../Cargo.toml" |
    tr ',' '\n' | sed -n 's/.*"manifest_path":"\([^"]*\/ufbx-[^"/]*\)\/Cargo.toml".*/\1/p' | head -n 1)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cc -O1 -g -fsanitize=address,bounds,null,alignment,signed-integer-overflow,integer-divide-by-zero,pointer-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer \
    -I"$source/ufbx" "$source/ufbx/ufbx.c" "$here/main.c" -lm -o "$build/mutants"
"$build/mutants" "$count" "${SEED:-1}" "$@"
