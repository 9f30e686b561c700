#!/usr/bin/env python3
"""Does Blender show what Sinew shows? Posed vertices of characters that Sinew wrote, and the time to read one.

    python3 -m venv scratch && scratch/bin/pip install bpy
    cargo build --release -p sinew_cli
    scratch/bin/python tools/interop/blender.py --sinew target/release/sinew CHARACTER.glb:CLIP ...

For each character: `sinew convert` writes it, Blender imports that file, and at three times of the clip every vertex that
Blender's dependency graph gives is compared with `sinew skin --clip --time --render-vertices`. The largest distance is printed
in shares of the diagonal; past 1e-4 the script fails. `--time FILE` compares the importers' speed instead.

`--posed FILE --source CHARACTER.glb` compares what the studio exports (a mesh in a pose, with no clip): every vertex of FILE, and
the materials of every mesh with those of the character that it was made from.

Blender is Z up: (x, y, z) there is (x, z, -y) here. Vertices are matched by their order; where Blender drops vertices that no
triangle uses, by place at the clip's start.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import bpy
import numpy as np

LIMIT = 1e-4
SHARES_OF_CLIP = (0.25, 0.5, 0.8)


def sinew(arguments, *words):
    result = subprocess.run([arguments.sinew, "--quiet", *map(str, words)], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"sinew {' '.join(map(str, words))}: {result.stderr}")
    return result.stdout


def import_fresh(path, bones="BLENDER"):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    started = time.perf_counter()
    bpy.ops.import_scene.gltf(filepath=str(path), bone_heuristic=bones)
    return time.perf_counter() - started


def own_objects():
    """Meshes of the file, in its order; Blender adds an icosphere to draw bones with."""
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o.users_scene and not o.name.startswith("Icosphere")]
    return sorted(meshes, key=lambda o: o.name)


def evaluated_vertices(objects):
    graph = bpy.context.evaluated_depsgraph_get()
    of_mesh = {}
    for found in objects:
        shown = found.evaluated_get(graph)
        mesh = shown.to_mesh()
        flat = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        matrix = np.array(shown.matrix_world, dtype=np.float64)
        places = flat.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        of_mesh[found.name] = np.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1)
        shown.to_mesh_clear()
    return of_mesh


def obj_vertices(path):
    """Positions of each `o` of an OBJ."""
    of_mesh, name = {}, ""
    for line in open(path, encoding="utf-8"):
        if line.startswith("o "):
            name = line[2:].strip()
        elif line.startswith("v "):
            of_mesh.setdefault(name, []).append([float(word) for word in line.split()[1:4]])
    return {name: np.array(places) for name, places in of_mesh.items()}


def match(ours, theirs, start_ours, start_theirs):
    """Largest distance between the two, vertex by vertex."""
    if len(ours) == len(theirs) and np.abs(start_ours - start_theirs).max() < 1e-5 * np.ptp(start_ours):
        return np.linalg.norm(ours - theirs, axis=1).max(), "by order"
    # To each of theirs the best of ours that starts on the same place.
    from mathutils.kdtree import KDTree

    tree = KDTree(len(start_ours))
    for index, place in enumerate(start_ours):
        tree.insert(place, index)
    tree.balance()
    radius = 1e-6 * np.ptp(start_ours)
    worst = 0.0
    for place, rest in zip(theirs, start_theirs):
        near = [index for _, index, _ in tree.find_range(rest, radius)] or [tree.find(rest)[1]]
        worst = max(worst, min(np.linalg.norm(ours[index] - place) for index in near))
    return worst, "by place at the start"


def pair(ours, theirs, start_ours, start_theirs):
    """Meshes by name, where names are the same; else all in one heap."""
    if sorted(ours) == sorted(theirs):
        found = [match(ours[n], theirs[n], start_ours[n], start_theirs[n]) for n in ours]
        return max(worst for worst, _ in found), found[0][1]
    heap = lambda of_mesh: np.concatenate([of_mesh[name] for name in sorted(of_mesh)])
    return match(heap(ours), heap(theirs), heap(start_ours), heap(start_theirs))


def select_clip(clip):
    """Shows one action on everything that it was made for. Not by its strip: those start at frame 1, and keys at frame 0."""
    for found in [*bpy.data.objects, *bpy.data.shape_keys]:
        data = found.animation_data
        if data is None:
            continue
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == clip and track.strips:
                data.action = track.strips[0].action
                data.action_slot = track.strips[0].action_slot


def compare(arguments, folder, source, clip):
    written = folder / "written.glb"
    sinew(arguments, "convert", source, written)
    info = json.loads(sinew(arguments, "info", written, "--json"))
    clips = {c["name"]: c["duration_seconds"] for c in info["clips"]}
    clip = clip or next(iter(clips))
    import_fresh(written, arguments.bones)
    objects = own_objects()
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    select_clip(clip)

    def both_at(seconds):
        frame = seconds * fps
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        posed = folder / "posed.obj"
        sinew(arguments, "skin", written, "--clip", clip, "--time", repr(seconds), "-o", posed, "--render-vertices")
        return obj_vertices(posed), evaluated_vertices(objects)

    # Blender's rest pose is the bind pose, ours the nodes' own: the clip's start is the same in both.
    start_ours, start_theirs = both_at(0.0)
    diagonal = info["bounds"]["diagonal"]
    row = []
    for share in SHARES_OF_CLIP:
        seconds = clips[clip] * share
        ours, theirs = both_at(seconds)
        worst, how = pair(ours, theirs, start_ours, start_theirs)
        row.append((seconds, worst / diagonal))
    words = ", ".join(f"{off:.1e} at {seconds:.2f} s" for seconds, off in row)
    num_vertices = sum(len(v) for v in start_theirs.values())
    print(f"{pathlib.Path(source).name} '{clip}' ({num_vertices} vertices, matched {how}): {words}")
    return max(off for _, off in row)


def compare_speed(arguments, path):
    import_fresh(path)  # Once for what is loaded at the first call.
    theirs = min(import_fresh(path) for _ in range(3))
    started = time.perf_counter()
    sinew(arguments, "info", path)
    ours = time.perf_counter() - started
    print(f"{path}: Blender {theirs:.3f} s, `sinew info` (whole process) {ours:.3f} s, ratio {theirs / ours:.1f}")


def materials():
    """Of each mesh the names of its materials, and the base colour and image of each material."""
    names = {found.name: sorted(slot.material.name for slot in found.material_slots if slot.material) for found in own_objects()}
    looks = {}
    for material in bpy.data.materials:
        shader = next((n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED"), None) if material.node_tree else None
        images = sorted(tuple(n.image.size) for n in material.node_tree.nodes if n.type == "TEX_IMAGE" and n.image) if material.node_tree else []
        color = [round(x, 4) for x in shader.inputs["Base Color"].default_value] if shader else None
        looks[material.name] = (color, images)
    used = {name for of_mesh in names.values() for name in of_mesh}
    return names, {name: looks[name] for name in used}


def compare_posed(arguments, folder, path):
    import_fresh(arguments.source, arguments.bones)
    wanted = materials()
    import_fresh(path, arguments.bones)
    found = materials()
    if wanted != found:
        sys.exit(f"{path}: materials differ: {wanted} in the character, {found} in what was exported")
    theirs = evaluated_vertices(own_objects())
    read = folder / "read.obj"
    sinew(arguments, "skin", path, "-o", read, "--render-vertices")
    ours = obj_vertices(read)
    heap = lambda of_mesh: np.concatenate([of_mesh[name] for name in sorted(of_mesh)])
    diagonal = np.linalg.norm(np.ptp(heap(ours), axis=0))
    worst, how = pair(ours, theirs, ours, theirs)
    print(f"{path}: {len(heap(theirs))} vertices (matched {how}) within {worst / diagonal:.1e}, {len(found[1])} materials the same")
    return worst / diagonal


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinew", default="target/release/sinew")
    parser.add_argument("--time", action="store_true", help="compare the time to read instead")
    bones = ("BLENDER", "TEMPERANCE", "FORTUNE")
    parser.add_argument("--bones", choices=bones, default=bones[0], help="the importer's way to give bones their tails")
    parser.add_argument("--posed", action="store_true", help="compare exported meshes in a pose instead")
    parser.add_argument("--source", help="with --posed: the character that they were made from")
    parser.add_argument("characters", nargs="+", help="FILE or FILE:CLIP")
    arguments = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        for character in arguments.characters:
            source, _, clip = character.partition(":")
            if arguments.time:
                compare_speed(arguments, source)
            elif arguments.posed:
                worst = max(worst, compare_posed(arguments, pathlib.Path(name), character))
            else:
                worst = max(worst, compare(arguments, pathlib.Path(name), source, clip))
    if worst > LIMIT:
        sys.exit(f"the farthest vertex is off by {worst:.1e} of the diagonal; the limit is {LIMIT:.0e}")


if __name__ == "__main__":
    main()
