#!/usr/bin/env python3
"""Blender's automatic weights of characters, for `sinew_study --weights --beside DIR` to hold beside ours.

    python3 -m venv scratch && scratch/bin/pip install bpy
    scratch/bin/python tools/interop/blender_weights.py --sinew target/release/sinew -o DIR CHARACTER.glb ...
    cargo run --release -p sinew_study -- --weights --beside DIR

For each character: `sinew convert` writes it, Blender imports that file, all vertex groups are taken away, and meshes are parented
to the armature with automatic weights (*Armature Deform, With Automatic Weights*): once as they were imported, and once welded
(1e-5 of the diagonal) and joined to one mesh, whose weights go back to the vertices by place. DIR/NAME.json has the rows of every
vertex, seconds, how many vertices got no weight, and how many pairs of vertices on one place got different ones (a seam that opens).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

import bpy
import numpy as np
from mathutils import kdtree

ONE_OVER_DIAGONAL = 1e-5
LEAST = 1e-4


def import_fresh(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(path), bone_heuristic="TEMPERANCE")
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o.users_scene and not o.name.startswith("Icosphere")]
    armatures = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    for found in list(bpy.data.objects):
        if found.type == "MESH" and found not in meshes:
            bpy.data.objects.remove(found)
    return sorted(meshes, key=lambda o: o.name), armatures


def places(found):
    """In model space of the file: Y up."""
    flat = np.empty(len(found.data.vertices) * 3, dtype=np.float32)
    found.data.vertices.foreach_get("co", flat)
    matrix = np.array(found.matrix_world, dtype=np.float64)
    own = flat.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([own[:, 0], own[:, 2], -own[:, 1]], axis=1)


def strip(meshes):
    for found in meshes:
        found.vertex_groups.clear()
        for modifier in [m for m in found.modifiers if m.type == "ARMATURE"]:
            found.modifiers.remove(modifier)


def bind(meshes, armature):
    bpy.ops.object.select_all(action="DESELECT")
    for found in [*meshes, armature]:
        found.select_set(True)
    bpy.context.view_layer.objects.active = armature
    started = time.perf_counter()
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    return time.perf_counter() - started


def rows(found):
    names = [group.name for group in found.vertex_groups]
    return [
        [[names[g.group], g.weight] for g in vertex.groups if g.weight > LEAST] for vertex in found.data.vertices
    ]


def weld_and_join(meshes, diagonal):
    bpy.ops.object.select_all(action="DESELECT")
    for found in meshes:
        found.select_set(True)
    bpy.context.view_layer.objects.active = meshes[0]
    if len(meshes) > 1:
        bpy.ops.object.join()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.remove_doubles(threshold=ONE_OVER_DIAGONAL * diagonal)
    bpy.ops.object.mode_set(mode="OBJECT")
    return meshes[0]


def tree_of(points):
    tree = kdtree.KDTree(len(points))
    for at, point in enumerate(points):
        tree.insert(point, at)
    tree.balance()
    return tree


def differs(a, b):
    a, b = dict(a), dict(b)
    return any(abs(a.get(name, 0) - b.get(name, 0)) > 1e-3 for name in {*a, *b})


def outcome(seconds, names, points, of_mesh, diagonal):
    everywhere = np.concatenate(points)
    all_rows = [row for rows_of in of_mesh for row in rows_of]
    tree = tree_of(everywhere)
    pairs = opened = 0
    for at, point in enumerate(everywhere):
        for _, other, _ in tree.find_range(point, ONE_OVER_DIAGONAL * diagonal):
            if other > at:
                pairs += 1
                opened += differs(all_rows[at], all_rows[other])
    meshes = [{"name": name, "rows": rows_of} for name, rows_of in zip(names, of_mesh)]
    unweighted = sum(not row for row in all_rows)
    return {"seconds": seconds, "unweighted": unweighted, "pairs": pairs, "opened": opened, "meshes": meshes}


def run(path):
    meshes, armatures = import_fresh(path)
    if not meshes or not armatures:
        return None
    armature = armatures[0]
    names = [found.name for found in meshes]
    points = [places(found) for found in meshes]
    everywhere = np.concatenate(points)
    diagonal = float(np.linalg.norm(np.ptp(everywhere, axis=0)))
    strip(meshes)
    seconds = bind(meshes, armature)
    imported = outcome(seconds, names, points, [rows(found) for found in meshes], diagonal)

    meshes, armatures = import_fresh(path)
    strip(meshes)
    joined = weld_and_join(meshes, diagonal)
    # Before: parenting moves the mesh's own frame.
    tree = tree_of(places(joined))
    seconds = bind([joined], armatures[0])
    joined_rows = rows(joined)
    of_mesh = [[joined_rows[tree.find(point)[1]] for point in own] for own in points]
    welded = outcome(seconds, names, points, of_mesh, diagonal)
    return {
        "program": f"Blender {bpy.app.version_string}",
        "places": [own.round(7).tolist() for own in points],
        "ways": {"as imported": imported, "welded, joined": welded},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", default="target/release/sinew", help="the command")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="the folder")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for path in arguments.files:
        written = arguments.output / f"{path.stem}.glb"
        words = [arguments.sinew, "--quiet", "convert", path, written, "--influences", "all"]
        converted = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if converted.returncode != 0:
            print(f"{path}: {converted.stderr}", file=sys.stderr)
            continue
        try:
            found = run(written)
        except RuntimeError as error:
            # Blender's importer has faults of its own.
            print(f"{path}: {str(error).splitlines()[-1]}", file=sys.stderr)
            continue
        finally:
            written.unlink()
        if found is None:
            print(f"{path}: no mesh or no armature", file=sys.stderr)
            continue
        (arguments.output / f"{path.stem}.json").write_text(json.dumps(found))
        for name, way in found["ways"].items():
            vertices = sum(len(mesh["rows"]) for mesh in way["meshes"])
            print(
                f"{path.stem}, {name}: {way['unweighted']} of {vertices} vertices without weight, "
                f"{way['opened']} of {way['pairs']} pairs opened, {way['seconds']:.2f} s"
            )


if __name__ == "__main__":
    main()
