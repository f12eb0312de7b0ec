// Runs the Khronos validator over glTF files: node scripts/validate-gltf.mjs [--modules DIR] FILE...
//
// The npm package `gltf-validator` is looked for in DIR/node_modules (or $GLTF_VALIDATOR_DIR/node_modules, or
// the current folder's). Prints every issue; exits 1 on errors, 2 if it could not run.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const SEVERITY = ["error", "warning", "information", "hint"];

const files = process.argv.slice(2);
let modules = process.env.GLTF_VALIDATOR_DIR ?? ".";
const at = files.indexOf("--modules");
if (at >= 0) modules = files.splice(at, 2)[1] ?? ".";

if (files.length === 0) {
  console.error("usage: node scripts/validate-gltf.mjs [--modules DIR] FILE...");
  process.exit(2);
}

let validator;
try {
  validator = createRequire(join(resolve(modules), "package.json"))("gltf-validator");
} catch {
  console.error(`gltf-validator is not in ${modules}/node_modules: npm install --prefix ${modules} gltf-validator`);
  process.exit(2);
}

let errors = 0;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
    uri: basename(file),
    maxIssues: 1000,
    externalResourceFunction: async (uri) =>
      new Uint8Array(readFileSync(join(dirname(file), decodeURIComponent(uri)))),
  });
  const { issues, info } = report;
  console.log(
    `${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos, ` +
      `${issues.numHints} hints; ${info?.totalVertexCount ?? 0} vertices, ${info?.totalTriangleCount ?? 0} ` +
      `triangles, ${info?.animationCount ?? 0} animations (validator ${validator.version()})`,
  );
  for (const m of issues.messages) {
    console.log(`  ${SEVERITY[m.severity] ?? m.severity} ${m.code} ${m.pointer ?? ""}: ${m.message}`);
  }
  errors += issues.numErrors;
}
process.exit(errors === 0 ? 0 : 1);
