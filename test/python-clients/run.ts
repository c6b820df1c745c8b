// `npm run test:python-clients`: the vendors' Python libraries against a cluster of its own. Arguments go to unittest:
// `-- -k realtime`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runOutsideClients } from "../clients/outside-clients.js";
import { root } from "../structure/sources.js";
import { ensureEnvironment, MissingPython } from "./environment.js";

const folder = join(root, "test/python-clients");
const clips = join(root, "workers/engines/ctc/testing/clips");

async function main(args: string[]): Promise<number> {
  const python = ensureEnvironment(join(root, "node_modules/.cache/python-clients"), join(folder, "requirements.txt"));
  const [clip = "", clipText = ""] =
    readFileSync(join(clips, "sentences.tsv"), "utf8").split("\n")[0]?.split("\t") ?? [];
  return await runOutsideClients({
    program: python,
    args: ["-m", "unittest", "discover", "--start-directory", folder, "--verbose", ...args],
    cwd: folder,
    environment: (certificate) => ({
      PYTHONDONTWRITEBYTECODE: "1",
      SSL_CERT_FILE: certificate,
      PARLEY_CLIP: join(clips, clip),
      PARLEY_CLIP_TEXT: clipText,
    }),
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingPython)) throw error;
  console.error(`python clients: ${error.message}`);
  process.exitCode = 1;
}
