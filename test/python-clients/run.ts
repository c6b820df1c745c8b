// `npm run test:python-clients`: the vendors' Python libraries against a cluster of its own. Arguments go to unittest: `-- -k realtime`.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTlsFront } from "../clients/tls-front.js";
import { allModels, startCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { root } from "../structure/sources.js";
import { ensureEnvironment, MissingPython } from "./environment.js";

const folder = join(root, "test/python-clients");
const clips = join(root, "workers/engines/ctc/testing/clips");

async function main(args: string[]): Promise<number> {
  const python = ensureEnvironment(join(root, "node_modules/.cache/python-clients"), join(folder, "requirements.txt"));
  const [clip = "", clipText = ""] = readFileSync(join(clips, "sentences.tsv"), "utf8").split("\n")[0]?.split("\t") ?? [];
  const directory = mkdtempSync(join(tmpdir(), "parley-python-clients-"));
  // On a busy machine the first requests would be refused for the time that they take.
  const settings = { PARLEY_ADMISSION_WAIT_MS: "600000" };
  const cluster = await startCluster({ models: allModels, settings, readyMs: 150_000 });
  const front = await startTlsFront(cluster.baseUrl);
  try {
    // The edge learns of a worker's models a heartbeat after the worker is ready.
    const hasRecognizer = async (): Promise<boolean> => (await (await fetch(`${cluster.baseUrl}/health`)).text()).includes("parley-asr-en");
    await until(hasRecognizer, { withinMs: 30_000, what: "the recognizer" });
    const certificate = join(directory, "certificate.pem");
    writeFileSync(certificate, front.certificate);
    const { PATH, HOME, LANG } = process.env;
    return await runPython(python, ["-m", "unittest", "discover", "--start-directory", folder, "--verbose", ...args], {
      ...{ PATH, HOME, LANG, PYTHONDONTWRITEBYTECODE: "1", SSL_CERT_FILE: certificate },
      ...{ PARLEY_BASE_URL: cluster.baseUrl, PARLEY_TLS_BASE_URL: front.baseUrl, PARLEY_API_KEY: cluster.apiKey },
      ...{ PARLEY_CLIP: join(clips, clip), PARLEY_CLIP_TEXT: clipText },
    });
  } finally {
    await front.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs in this process's terminal; gives the exit status. The TLS front lives here, so this process must not block. */
function runPython(python: string, args: string[], environment: Record<string, string | undefined>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, args, { cwd: folder, env: environment, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? 1));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingPython)) throw error;
  console.error(`python clients: ${error.message}`);
  process.exitCode = 1;
}
