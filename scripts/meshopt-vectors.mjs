// Makes test vectors for the meshopt decoder: node scripts/meshopt-vectors.mjs --modules DIR -o FILE [GLTF...]
//
// The npm package `meshoptimizer` (in DIR/node_modules) packs random data of many shapes in every mode, filter and
// version, and unpacks it again: that is what our decoder must give (`lissom-checks meshopt FILE`). Packed views of
// the glTF files named are added as they are, plain ones packed. Of one record: six u32 (mode, filter, version, count,
// stride, packed bytes), the packed bytes, count * stride bytes as unpacked; little-endian.

import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const MODES = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const FILTERS = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];

const args = process.argv.slice(2);
const option = (name) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const modules = option("--modules") ?? ".";
const output = option("-o");
if (!output) {
  console.error("usage: node scripts/meshopt-vectors.mjs --modules DIR -o FILE [GLTF...]");
  process.exit(2);
}
let encoder, decoder;
try {
  const find = createRequire(join(resolve(modules), "package.json"));
  const found = await import(pathToFileURL(find.resolve("meshoptimizer")));
  [encoder, decoder] = [found.MeshoptEncoder, found.MeshoptDecoder];
} catch {
  console.error(`meshoptimizer is not in ${modules}/node_modules: npm install --prefix ${modules} meshoptimizer`);
  process.exit(2);
}
await Promise.all([encoder.ready, decoder.ready]);

// SplitMix: the same vectors every time.
let state = 0x9e3779b97f4a7c15n;
const random = () => {
  state = (state + 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn;
  let z = state;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & 0xffffffffffffffffn;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & 0xffffffffffffffffn;
  return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
};
const below = (n) => Math.floor(random() * n);

const records = [];
const seen = {};
function add(mode, filter, count, stride, packed) {
  const target = new Uint8Array(count * stride);
  decoder.decodeGltfBuffer(target, count, stride, packed, MODES[mode], FILTERS[filter]);
  const version = packed[0] & 15;
  const head = new Uint32Array([mode, filter, version, count, stride, packed.length]);
  records.push(Buffer.from(head.buffer), Buffer.from(packed), Buffer.from(target));
  const key = `${MODES[mode]} ${FILTERS[filter]} v${version}`;
  seen[key] = (seen[key] ?? 0) + 1;
}

/** Both versions, and for version 1 every effort: the higher ones use all channel modes. */
function attributes(filter, bytes, count, stride) {
  add(0, filter, count, stride, encoder.encodeVertexBufferLevel(bytes, count, stride, 2, 0));
  for (const level of [0, 1, 2, 3]) {
    add(0, filter, count, stride, encoder.encodeVertexBufferLevel(bytes, count, stride, level, 1));
  }
}

const COUNTS = [1, 2, 15, 16, 17, 100, 255, 256, 257, 1000];

/** Smooth, noisy, constant and wild numbers: each makes the encoder choose other widths and modes. */
function floats(count, width, kind) {
  const out = new Float32Array(count * width);
  let at = 0;
  for (let i = 0; i < out.length; i++) {
    at += random() - 0.5;
    out[i] = [at, random() * 2 - 1, 0.25, (random() - 0.5) * 10 ** (below(60) - 30)][kind];
  }
  return out;
}

for (const count of COUNTS) {
  for (const stride of [4, 8, 12, 16, 20, 32, 64, 252, 256]) {
    if (count * stride > 20_000) continue;
    for (let kind = 0; kind < 4; kind++) {
      attributes(0, new Uint8Array(floats(count, stride / 4, kind).buffer), count, stride);
      const wild = new Uint8Array(count * stride).map(() => (kind === 0 ? below(256) : below(1 << (kind * 2))));
      attributes(0, wild, count, stride);
    }
    const words = new Uint32Array((count * stride) / 4).map((_, i) => (i * 3) << below(24));
    attributes(0, new Uint8Array(words.buffer), count, stride);
  }
  const units = () => {
    const out = new Float32Array(count * 4);
    for (let i = 0; i < count; i++) {
      const v = [0, 1, 2, 3].map(() => random() * 2 - 1);
      const length = Math.hypot(...v) || 1;
      v.forEach((c, k) => (out[4 * i + k] = c / length));
    }
    return out;
  };
  for (const bits of [2, 4, 7, 8]) attributes(1, encoder.encodeFilterOct(units(), count, 4, bits), count, 4);
  for (const bits of [2, 8, 12, 16]) {
    attributes(1, encoder.encodeFilterOct(units(), count, 8, bits), count, 8);
    if (bits > 2) attributes(2, encoder.encodeFilterQuat(units(), count, 8, bits), count, 8);
  }
  for (const stride of [4, 12, 16, 40]) {
    for (const mode of ["Separate", "SharedVector", "SharedComponent", "Clamped"]) {
      for (const bits of [1, 8, 15, 24]) {
        const source = floats(count, stride / 4, below(4));
        attributes(3, encoder.encodeFilterExp(source, count, stride, bits, mode), count, stride);
      }
    }
  }
  const colours = () => new Float32Array(count * 4).map(() => random());
  for (const bits of [2, 5, 8]) attributes(4, encoder.encodeFilterColor(colours(), count, 4, bits), count, 4);
  for (const bits of [2, 8, 12, 16]) attributes(4, encoder.encodeFilterColor(colours(), count, 8, bits), count, 8);

  for (const stride of [2, 4]) {
    const List = stride === 2 ? Uint16Array : Uint32Array;
    const most = stride === 2 ? 0x10000 : 2 ** 32;
    const near = new List(count * 3).map((_, i) => Math.max(0, Math.floor(i / 2) + below(7) - 3));
    const wild = new List(count * 3).map(() => below(most));
    const strip = new List(count * 3).map((_, i) => Math.floor(i / 3) + (i % 3));
    for (const list of [near, wild, strip]) {
      const bytes = new Uint8Array(list.buffer);
      add(1, 0, count * 3, stride, encoder.encodeIndexBuffer(bytes, count * 3, stride));
      add(2, 0, count * 3, stride, encoder.encodeIndexSequence(bytes, count * 3, stride));
    }
  }
}

for (const file of args) {
  const whole = readFileSync(file);
  const binary = whole.toString("latin1", 0, 4) === "glTF";
  const jsonBytes = binary ? whole.readUInt32LE(12) : 0;
  const json = JSON.parse(binary ? whole.toString("utf8", 20, 20 + jsonBytes) : whole.toString("utf8"));
  const loaded = {};
  const buffer = (index) => {
    const { uri } = json.buffers[index];
    if (!uri) return whole.subarray(28 + jsonBytes);
    if (uri.startsWith("data:")) return Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64");
    return (loaded[uri] ??= readFileSync(join(dirname(file), decodeURIComponent(uri))));
  };
  for (const [index, view] of (json.bufferViews ?? []).entries()) {
    const own = view.extensions ?? {};
    const packed = own.KHR_meshopt_compression ?? own.EXT_meshopt_compression;
    if (packed) {
      const at = packed.byteOffset ?? 0;
      const bytes = buffer(packed.buffer).subarray(at, at + packed.byteLength);
      const mode = MODES.indexOf(packed.mode);
      add(mode, FILTERS.indexOf(packed.filter ?? "NONE"), packed.count, packed.byteStride, bytes);
      continue;
    }
    const accessor = (json.accessors ?? []).find((a) => a.bufferView === index && a.componentType === 5126);
    if (!accessor) continue;
    const stride = view.byteStride ?? 4 * { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[accessor.type];
    const count = Math.floor(view.byteLength / stride);
    const at = view.byteOffset ?? 0;
    const bytes = new Uint8Array(buffer(view.buffer ?? 0).subarray(at, at + count * stride));
    if (stride % 4 === 0 && stride <= 256) attributes(0, bytes, count, stride);
  }
}

writeFileSync(output, Buffer.concat(records));
for (const [key, count] of Object.entries(seen).sort()) console.log(`${key}: ${count}`);
