// Runs the golden hashes in this JavaScript engine: node scripts/conformance.mjs <file.wasm>
import { readFile } from "node:fs/promises";

const module = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { report_byte } = module.instance.exports;
const bytes = [];
for (let i = 0; ; i++) {
  const byte = report_byte(i);
  if (byte < 0) break;
  bytes.push(byte);
}
const report = new TextDecoder().decode(new Uint8Array(bytes));
console.log(report);
process.exit(/^\d+ golden hashes met on /.test(report) ? 0 : 1);
