#!/usr/bin/env bash
# The ten minutes of docs/guide/first-steps.md, done as the page says and with its pictures: open a character, pose it, switch,
# compare, draw, key, save; kill the studio with unsaved work, recover it, export; open what was exported in Blender.
#
#     tools/first-steps.sh target/release/sinew [CHARACTER.glb] [PYTHON with bpy and numpy]
#
# Needs a display (or Xvfb). Everything goes to target/first-steps.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sinew=$(realpath "${1:?which sinew?}")
character=${2:-}
python=${3:-}
work=$root/target/first-steps
rm -rf "$work" && mkdir -p "$work"
# As a user does it: in a folder of their own.
if [ -n "$character" ]; then cp "$character" "$work/my.glb"; else "$sinew" sample suit -o "$work/my.glb"; fi
cd "$work"

if [ -z "${DISPLAY:-}" ]; then
    display=:$((90 + RANDOM % 100))
    Xvfb "$display" -screen 0 1600x1000x24 -nolisten tcp >/dev/null 2>&1 &
    trap 'kill %1 2>/dev/null' EXIT
    export DISPLAY=$display XDG_RUNTIME_DIR=$work/run
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    sleep 2
fi
options=(--home "$work/home" --size 1280,800 --theme light)

"$sinew" studio my.glb --script "$root/docs/guide/first-steps.json" "${options[@]}" &
running=$!
# The tour ends with a minute of doing nothing, once it has shown that there is unsaved work.
for _ in $(seq 600); do
    [ -e first-unsaved.png ] && break
    kill -0 "$running" 2>/dev/null || { echo "the first tour ended early" >&2; exit 1; }
    sleep 0.5
done
kill -9 "$running"
wait "$running" 2>/dev/null || true

"$sinew" studio my.sinew --script "$root/docs/guide/first-steps-again.json" "${options[@]}"
"$sinew" info keyed.glb
"$sinew" check keyed.glb || true
if [ -n "$python" ]; then
    "$python" "$root/tools/interop/blender.py" --sinew "$sinew" --posed --source my.glb posed.glb
    "$python" "$root/tools/interop/blender.py" --sinew "$sinew" keyed.glb
fi
