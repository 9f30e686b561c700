#!/usr/bin/env bash
# What docs/guide/animation.md says, done by mouse in the real window: drop a BVH on the chibi, set three keys, bend a tangent in
# the curve editor, add twist joints, export, and open the file again.
#
#     tools/animation-tour.sh target/debug/sinew [MOTION.bvh]
#
# Without a motion, the walk of the built-in human. Needs a display (or Xvfb). Everything goes to target/animation-tour.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
sinew=$(realpath "${1:?which sinew?}")
motion=${2:+$(realpath "$2")}
work=$root/target/animation-tour
rm -rf "$work" && mkdir -p "$work" && cd "$work"
"$sinew" sample chibi -o chibi.glb
if [ -n "$motion" ]; then
    cp "$motion" motion.bvh
else
    "$sinew" sample human -o human.glb
    "$sinew" convert human.glb motion.bvh --clip walk
fi

if [ -z "${DISPLAY:-}" ]; then
    display=:$((90 + RANDOM % 100))
    Xvfb "$display" -screen 0 1600x1000x24 -nolisten tcp >/dev/null 2>&1 &
    trap 'kill %1 2>/dev/null' EXIT
    export DISPLAY=$display XDG_RUNTIME_DIR=$work/run
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    sleep 2
fi
"$sinew" studio chibi.glb --script "$root/docs/guide/animation-tour.json" --home "$work/home" --size 1280,900 --theme light
# What was exported is driven, and moves.
"$sinew" info animated.glb
"$sinew" check animated.glb || true
