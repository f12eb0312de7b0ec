// Looks at the viewer's page with a real browser, as its users do.
//
// node scripts/web.mjs --modules FOLDER --native VIEWER --url URL --pictures FOLDER [FILES]
//
// FOLDER has node_modules with playwright-core; VIEWER is the native program, which says which poses are right; FILES are
// dropped onto the page one after the other.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const options = {};
const files = [];
for (let i = 2; i < process.argv.length; i++) {
  const name = process.argv[i].match(/^--(modules|native|url|pictures)$/)?.[1];
  if (name) options[name] = process.argv[++i];
  else files.push(process.argv[i]);
}
const { chromium } = createRequire(join(resolve(options.modules), "x.js"))("playwright-core");

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
  ],
});
let failed = false;
try {
  await look(await browser.newPage({ viewport: { width: 640, height: 420 } }));
} catch (e) {
  console.error(`   ${e.stack ?? e}`);
  failed = true;
}
await browser.close();
process.exit(failed ? 1 : 0);

async function look(page) {
  // Under a software rasteriser a frame may take a second.
  page.setDefaultTimeout(180_000);
  const said = [];
  page.on("pageerror", (e) => said.push(e.message));
  page.on("console", (m) => m.type() === "error" && said.push(m.text()));
  const quiet = () => {
    if (said.length) throw new Error(`the page complains: ${said.join("; ")}`);
  };

  await page.goto(options.url);
  await shown(page, "mannequin").catch((e) => { quiet(); throw e; });
  const first = await picture(page, "first");
  await page.waitForTimeout(500);
  const second = await picture(page, "second");
  must(await different(page, first, second) > 300, "the mannequin moves");
  must(await colours(page, first) > 50, "the canvas is not blank");

  // Time stands still, at the start and a few frames on: the native viewer has the same pose there, bit by bit.
  const canvas = page.locator("#viewer");
  await canvas.focus();
  await page.keyboard.press("Home");
  await same(page, [], "at the start");
  for (let i = 0; i < 5; i++) await step(page);
  await same(page, [], "five frames on");
  // And where the pointer goes on the time line.
  await page.mouse.click(400, 402);
  await page.waitForFunction(() => Number(document.getElementById("viewer").dataset.time) > 0.4);
  must(Number(await canvas.getAttribute("data-time")) > 0.4, "a click on the time line goes there");
  await same(page, [], "where the time line was clicked");

  const glb = join(options.pictures, "dropped.glb");
  writeFileSync(glb, slidingTriangle());
  await open(page, glb);
  const start = await taken(page);
  for (const file of files) await open(page, file);

  // What was taken for the largest is free again: they find room once more.
  if (files.length) {
    await open(page, glb);
    const once = await taken(page);
    const size = (file) => together(file).reduce((sum, [, bytes]) => sum + bytes.length, 0);
    const largest = files.toSorted((a, b) => size(b) - size(a)).slice(0, 5);
    for (const file of [...largest, glb]) await open(page, file);
    const twice = await taken(page);
    const megabytes = (t) => Object.values(t).map((bytes) => Math.round(bytes / 2 ** 20)).join(", ");
    console.log(`   program, page and drawing take, MB: ${megabytes(start)}; after ${files.length} files ${megabytes(once)}; after five again ${megabytes(twice)}`);
    must(twice.program <= once.program * 1.1, "the program uses its memory again");
    must(twice.page <= once.page + 64 * 2 ** 20, "the page forgets what was dropped");
    must(twice.drawing <= once.drawing + 64 * 2 ** 20, "and what was drawn is forgotten");
  }

  await drop(page, [["broken.glb", Buffer.from("glTF but no more")]]);
  await page.waitForFunction(() => document.getElementById("viewer").dataset.failure.includes("broken.glb"));
  must(await canvas.getAttribute("data-document") === basename(glb), "a broken file takes nothing away");

  // A graph that is played by keys: the second trigger is the mannequin's jump.
  await page.goto(`${options.url}?panel=graph`);
  await shown(page, "mannequin");
  await inState(page, "move");
  await canvas.focus();
  await page.keyboard.press("2");
  await inState(page, "jump");
  await picture(page, "jump");
  await inState(page, "move");
  must(true, "a trigger makes the mannequin jump, and it lands and goes on");
  quiet();
}

// Until a graph's first layer is in this state.
async function inState(page, state) {
  await page.waitForFunction((state) => document.getElementById("viewer").dataset.states?.split(" ")[0] === state, state);
}

// Drops a file and looks at it.
async function open(page, file) {
  const name = basename(file);
  const canvas = page.locator("#viewer");
  const before = await picture(page, "before");
  await drop(page, together(file));
  await shown(page, name);
  await canvas.focus();
  if (await canvas.getAttribute("data-clip")) {
    await step(page);
    await same(page, [file], `of ${name}`);
  }
  must(await different(page, before, await picture(page, name)) > 20, `${name} is seen`);
}

// A file and those that it names and that are there, as people drop them.
function together(file) {
  const all = [[basename(file), readFileSync(file)]];
  if (!file.endsWith(".gltf")) return all;
  const { buffers = [], images = [] } = JSON.parse(all[0][1]);
  for (const { uri } of [...buffers, ...images]) {
    if (!uri || uri.startsWith("data:")) continue;
    const path = join(dirname(file), decodeURIComponent(uri));
    if (existsSync(path)) all.push([basename(path), readFileSync(path)]);
  }
  return all;
}

// Bytes that the page's program has taken, and that the browser's drawing processes have when they have tidied up.
async function taken(page) {
  const own = await page.context().newCDPSession(page);
  await own.send("HeapProfiler.collectGarbage");
  await own.detach();
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const resident = ({ id }) => Number(readFileSync(`/proc/${id}/statm`, "utf8").split(" ")[1]) * 4096;
  const of = (kind) => processInfo.filter(({ type }) => type === kind).map(resident).reduce((a, b) => a + b, 0);
  const program = Number(await page.locator("#viewer").getAttribute("data-memory"));
  return { program, page: of("renderer"), drawing: of("GPU") };
}

// Until the page says that it shows this document.
async function shown(page, name) {
  const wanted = (name) => {
    const said = document.getElementById("viewer").dataset;
    return said.document === name || said.failure || document.getElementById("said").textContent !== "Loading…";
  };
  await page.waitForFunction(wanted, name);
  const said = await page.locator("#said").textContent();
  if (said !== "Loading…") throw new Error(`the program does not start: ${said}`);
  const failure = await page.locator("#viewer").getAttribute("data-failure");
  must(!failure, failure ? `${name} opens: ${failure}` : `${name} opens`);
  await page.waitForTimeout(300);
}

// One frame on.
async function step(page) {
  const time = () => document.getElementById("viewer").dataset.time;
  await page.waitForFunction(() => document.getElementById("viewer").dataset.pose);
  const before = await page.evaluate(time);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((before) => document.getElementById("viewer").dataset.time !== before, before);
}

// The pose on the page has the hash of the same pose in the native program.
async function same(page, files, what) {
  await page.waitForFunction(() => document.getElementById("viewer").dataset.pose);
  await page.waitForTimeout(200);
  const { time, pose, clip } = await page.evaluate(() => ({ ...document.getElementById("viewer").dataset }));
  const told = execFileSync(options.native, [...files, "--pose-hash", "--clip", clip, "--time", time], { encoding: "utf8" }).trim();
  must(/^[0-9a-f]{16}$/.test(pose) && pose === told, `the same pose ${what}: ${clip} at ${time} s is ${pose}, natively ${told}`);
}

// Files as names and bytes.
async function drop(page, files) {
  await page.evaluate((files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, base64] of files) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name));
    }
    const canvas = document.getElementById("viewer");
    for (const kind of ["dragenter", "dragover", "drop"]) {
      canvas.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, files.map(([name, bytes]) => [name, bytes.toString("base64")]));
}

async function picture(page, name) {
  const png = await page.screenshot();
  writeFileSync(join(options.pictures, `${name}.png`), png);
  return png.toString("base64");
}

// Pixels of the scene that differ by more than a little.
function different(page, a, b) {
  return page.evaluate(async ([a, b]) => {
    const [x, y] = await Promise.all([a, b].map(pixels));
    let count = 0;
    for (let i = 0; i < x.length; i += 4) count += [0, 1, 2].some((c) => Math.abs(x[i + c] - y[i + c]) > 12);
    return count;
    async function pixels(png) {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(240, 30, image.width - 240, image.height - 110).data;
    }
  }, [a, b]);
}

// How many different pixels a picture has.
function colours(page, a) {
  return page.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const data = new Uint32Array(context.getImageData(240, 30, image.width - 240, image.height - 110).data.buffer);
    return new Set(data).size;
  }, a);
}

function must(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`);
  console.log(`   ${what}`);
}

// A triangle that moves a metre in a second.
function slidingTriangle() {
  const floats = [0, 1, /* from, to */ 0, 0, 0, 1, 0, 0, /* corners */ 0, 0, 0, 1, 0, 0, 0, 1, 0];
  const binary = Buffer.from(new Float32Array(floats).buffer);
  const view = (byteOffset, byteLength) => ({ buffer: 0, byteOffset, byteLength });
  let json = JSON.stringify({
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }],
    nodes: [{ name: "sliding", mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 2 } }] }],
    buffers: [{ byteLength: binary.length }],
    bufferViews: [view(0, 8), view(8, 24), view(32, 36)],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 2, type: "SCALAR", min: [0], max: [1] },
      { bufferView: 1, componentType: 5126, count: 2, type: "VEC3" },
      { bufferView: 2, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] },
    ],
    animations: [{
      name: "slide", samplers: [{ input: 0, output: 1 }],
      channels: [{ sampler: 0, target: { node: 0, path: "translation" } }],
    }],
  });
  json = json.padEnd(Math.ceil(json.length / 4) * 4);
  const chunk = (kind, bytes) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length, 0);
    head.write(kind, 4, "latin1");
    return Buffer.concat([head, bytes]);
  };
  const chunks = Buffer.concat([chunk("JSON", Buffer.from(json)), chunk("BIN\0", binary)]);
  const head = Buffer.from("glTF\x02\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32LE(12 + chunks.length, 8);
  return Buffer.concat([head, chunks]);
}
