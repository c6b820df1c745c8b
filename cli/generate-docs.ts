import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./docs/generated-files.js";

const root = join(import.meta.dirname, "../..");
for (const [path, content] of Object.entries(generatedFiles(root))) {
  writeFileSync(join(root, path), content);
  process.stdout.write(`${path}\n`);
}
