import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileFilter, sourceDirectory } from "./compile-filter.js";

// `npm run build:wasm`

writeFileSync(join(sourceDirectory, "filter-module.ts"), await compileFilter());
