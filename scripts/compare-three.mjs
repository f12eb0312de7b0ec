// Poses of glTF files as three.js has them: node scripts/compare-three.mjs [--modules DIR] FILE...
//
// The npm package `three` is looked for in DIR/node_modules (or the current folder's). Prints one line of JSON a file:
// { file, animations: [{ name, duration, times, nodes, matrices }] }, where matrices[t][n] is the world matrix (16
// numbers, column by column) of node nodes[n] at times[t]. `lissom-checks three` compares them with our importer.
// Exits 2 if it could not run.
//
// There is no DOM here, so whatever would need one (textures, materials, meshes) is taken out of the file first; what
// is left is the hierarchy and its animations, which is what is compared.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const ANIMATIONS = 3;
const TIMES = 20;

const files = process.argv.slice(2);
let modules = ".";
const at = files.indexOf("--modules");
if (at >= 0) modules = files.splice(at, 2)[1] ?? ".";
if (files.length === 0) {
  console.error("usage: node scripts/compare-three.mjs [--modules DIR] FILE...");
  process.exit(2);
}

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const from = (path) => import(pathToFileURL(join(resolve(modules), "node_modules/three", path)).href);
let THREE, GLTFLoader, MeshoptDecoder;
try {
  // The same file that the loader's own import leads to, so that there is one copy of every class.
  THREE = await from("build/three.module.js");
  ({ GLTFLoader } = await from("examples/jsm/loaders/GLTFLoader.js"));
  ({ MeshoptDecoder } = await from("examples/jsm/libs/meshopt_decoder.module.js"));
} catch (error) {
  console.error(`three is not in ${modules}/node_modules (npm install --prefix ${modules} three): ${error.message}`);
  process.exit(2);
}

const dataUri = (bytes) => `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`;

// The JSON of a file with its buffers in it, and nothing that needs a screen.
function bare(file) {
  const bytes = readFileSync(file);
  let json, binary;
  if (bytes.subarray(0, 4).toString() === "glTF") {
    const length = bytes.readUInt32LE(12);
    json = JSON.parse(bytes.subarray(20, 20 + length).toString());
    binary = bytes.subarray(20 + length + 8);
  } else {
    json = JSON.parse(bytes.toString());
  }
  for (const buffer of json.buffers ?? []) {
    if (buffer.uri?.startsWith("data:")) continue;
    if (buffer.uri) buffer.uri = dataUri(readFileSync(join(dirname(file), decodeURIComponent(buffer.uri))));
    else if (binary && buffer === json.buffers[0]) buffer.uri = dataUri(binary);
  }
  for (const key of ["meshes", "skins", "materials", "textures", "images", "samplers", "cameras"]) delete json[key];
  for (const node of json.nodes ?? []) {
    for (const key of ["mesh", "skin", "camera", "weights", "extensions"]) delete node[key];
  }
  for (const animation of json.animations ?? []) {
    animation.channels = animation.channels.filter((c) => c.target.node !== undefined && c.target.path !== "weights");
  }
  const kept = (name) => name.endsWith("_meshopt_compression") || name === "KHR_mesh_quantization";
  for (const key of ["extensionsUsed", "extensionsRequired"]) json[key] = (json[key] ?? []).filter(kept);
  delete json.extensions;
  return json;
}

for (const file of files) {
  const json = bare(file);
  const loader = new GLTFLoader();
  loader.setMeshoptDecoder(MeshoptDecoder);
  const gltf = await loader.parseAsync(JSON.stringify(json), "");
  const nodes = [];
  const objects = [];
  for (const [object, what] of gltf.parser.associations) {
    if (what.nodes !== undefined && object.isObject3D) {
      nodes.push(what.nodes);
      objects.push(object);
    }
  }
  const animations = gltf.animations.slice(0, ANIMATIONS).map((clip) => {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(clip).play();
    const times = Array.from({ length: TIMES }, (_, i) => (clip.duration * (i + 0.5)) / TIMES);
    const matrices = times.map((time) => {
      mixer.setTime(time);
      gltf.scene.updateMatrixWorld(true);
      return objects.map((object) => object.matrixWorld.elements.slice());
    });
    // The next clip starts from the file's own pose again.
    mixer.stopAllAction();
    mixer.uncacheRoot(gltf.scene);
    return { name: clip.name, duration: clip.duration, times, nodes, matrices };
  });
  console.log(JSON.stringify({ file, animations }));
}
