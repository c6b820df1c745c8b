import { writeFileSync } from "node:fs";
import { compileWat, moduleFile, watFiles } from "./compile-wat.js";

// `npm run build:wasm`

for (const file of watFiles) writeFileSync(moduleFile(file), await compileWat(file));
