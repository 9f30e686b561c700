// Validates glTF files with the Khronos validator: `node validate.mjs FOLDER_WITH_NODE_MODULES < names`, one file name a
// line on standard input, one JSON object on standard output: { "name": [{ "severity", "code", "message", "pointer" }] }.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const require = createRequire(join(process.argv[2], 'package.json'));
const validator = require('gltf-validator');
const names = readFileSync(0, 'utf8').split('\n').filter((name) => name !== '');

const results = {};
for (const name of names) {
  const folder = dirname(name);
  try {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(name)), {
      uri: name,
      maxIssues: 100,
      externalResourceFunction: async (uri) =>
        new Uint8Array(readFileSync(join(folder, decodeURIComponent(uri)))),
    });
    results[name] = report.issues.messages;
  } catch (error) {
    results[name] = [{ severity: 0, code: 'EXCEPTION', message: String(error), pointer: '' }];
  }
}
process.stdout.write(JSON.stringify(results));
