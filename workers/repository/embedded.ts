import { fileURLToPath } from "node:url";

/** The models that come with Parley; the compiled file lies in `dist/workers/repository/`. */
export const embeddedModels = fileURLToPath(new URL("../../../models", import.meta.url));
