// Plays a clip of a GLB in three.js and holds the skin to what Sinew wrote of the same moment.
//
//   npm install three           # in any folder, which THREE_HOME then names
//   sinew skin driven.glb --clip wave --time 1.25 --method linear -o posed.glb
//   THREE_HOME=/tmp/three node compare.mjs driven.glb wave 1.25 posed.glb
//
// Prints the largest distance of a vertex over the diagonal; fails past 1e-4.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const TOLERANCE = 1e-4;
const home = process.env.THREE_HOME ?? process.cwd();
const load = (name) => import(pathToFileURL(join(home, "node_modules/three", name)).href);

globalThis.self ??= globalThis;
const THREE = await load("build/three.module.js");
const { GLTFLoader } = await load("examples/jsm/loaders/GLTFLoader.js");

async function read(path) {
  const bytes = await readFile(path);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return await new Promise((done, failed) => new GLTFLoader().parse(buffer, "", done, failed));
}

// Vertices of all meshes in the scene's space, after morph targets and bones.
function vertices(scene) {
  scene.updateMatrixWorld(true);
  const all = [];
  scene.traverse((object) => {
    if (!object.isMesh) return;
    const of = [];
    const point = new THREE.Vector3();
    for (let index = 0; index < object.geometry.attributes.position.count; index += 1) {
      object.getVertexPosition(index, point);
      of.push(point.clone().applyMatrix4(object.matrixWorld));
    }
    all.push(of);
  });
  return all;
}

const [file, clipName, seconds, posedFile] = process.argv.slice(2);
const driven = await read(file);
const clip = THREE.AnimationClip.findByName(driven.animations, clipName);
if (!clip) throw new Error(`there is no clip '${clipName}'`);
const mixer = new THREE.AnimationMixer(driven.scene);
const action = mixer.clipAction(clip);
action.setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();
mixer.setTime(Number(seconds));
const found = vertices(driven.scene);
const wanted = vertices((await read(posedFile)).scene);
if (found.length !== wanted.length) throw new Error("not the same meshes");
const box = new THREE.Box3();
let worst = 0;
let number = 0;
for (const [mesh, of] of wanted.entries()) {
  if (found[mesh].length !== of.length) throw new Error(`mesh ${mesh}: not the same vertices`);
  for (const [index, point] of of.entries()) {
    box.expandByPoint(point);
    worst = Math.max(worst, point.distanceTo(found[mesh][index]));
    number += 1;
  }
}
const off = worst / box.getSize(new THREE.Vector3()).length();
console.log(`${clipName} at ${seconds} s: ${number} vertices, at most ${off.toExponential(2)} of the diagonal off`);
process.exit(off <= TOLERANCE ? 0 : 1);
