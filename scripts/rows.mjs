// Measures the rows of the job tables in this JavaScript engine: node scripts/rows.mjs <file.wasm>
// Prints a line a row: its name, a tab, nanoseconds an item, the shortest of many rounds.
import { readFile } from "node:fs/promises";

const module = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { row_count, row_items, row_name_byte, row_run } = module.instance.exports;

function nameOf(row) {
  const bytes = [];
  for (let i = 0; ; i++) {
    const byte = row_name_byte(row, i);
    if (byte < 0) return new TextDecoder().decode(new Uint8Array(bytes));
    bytes.push(byte);
  }
}

function milliseconds(row, rounds) {
  const start = performance.now();
  row_run(row, rounds);
  return performance.now() - start;
}

for (let row = 0; row < row_count(); row++) {
  // Until the engine has compiled it well, and a measurement is long enough for its clock.
  let repeats = 1;
  while (milliseconds(row, repeats) < 2) repeats *= 2;
  let best = Infinity;
  for (let round = 0; round < 100; round++) best = Math.min(best, milliseconds(row, repeats) / repeats);
  console.log(`${nameOf(row)}\t${((best * 1e6) / row_items(row)).toFixed(3)}`);
}
