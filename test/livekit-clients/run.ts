// `npm run test:livekit-clients`: LiveKit's Node plugins against a cluster of its own. Arguments go to Node's test runner: `-- --test-name-pattern=Fish`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTlsFront } from "../clients/tls-front.js";
import { allModels, startCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { root } from "../structure/sources.js";
import { ensureModules, MissingModules } from "./modules.js";

const testFiles = ["elevenlabs.js", "fish-audio.js", "openai.js"].map((file) => join(import.meta.dirname, file));

async function main(args: string[]): Promise<number> {
  const modules = join(root, "node_modules/.cache/livekit-clients");
  ensureModules(modules, join(root, "test/livekit-clients/packages"));
  const directory = mkdtempSync(join(tmpdir(), "parley-livekit-clients-"));
  const settings = {
    // On a busy machine the first requests would be refused for the time that they take.
    PARLEY_ADMISSION_WAIT_MS: "600000",
    // The voices that the plugins of OpenAI and ElevenLabs ask for by default.
    PARLEY_VOICE_ALIASES: "alloy=,bIHbv24MWmeRgasZH58o=",
  };
  const cluster = await startCluster({ models: allModels, settings, readyMs: 150_000 });
  const front = await startTlsFront(cluster.baseUrl);
  try {
    // The edge learns of a worker's models a heartbeat after the worker is ready.
    const hasRecognizer = async (): Promise<boolean> => (await (await fetch(`${cluster.baseUrl}/health`)).text()).includes("parley-asr-en");
    await until(hasRecognizer, { withinMs: 30_000, what: "the recognizer" });
    const certificate = join(directory, "certificate.pem");
    writeFileSync(certificate, front.certificate);
    const { PATH, HOME, LANG } = process.env;
    // The plugins leave timers and native threads behind.
    return await runNode(["--test", "--test-reporter=spec", "--test-force-exit", "--test-timeout=120000", "--test-concurrency=1", ...args, ...testFiles], {
      ...{ PATH, HOME, LANG, NODE_EXTRA_CA_CERTS: certificate, LIVEKIT_MODULES: modules },
      ...{ PARLEY_BASE_URL: cluster.baseUrl, PARLEY_TLS_BASE_URL: front.baseUrl, PARLEY_API_KEY: cluster.apiKey },
    });
  } finally {
    await front.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs in this process's terminal; gives the exit status. The TLS front lives here, so this process must not block. */
function runNode(args: string[], environment: Record<string, string | undefined>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? 1));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingModules)) throw error;
  console.error(`livekit clients: ${error.message}`);
  process.exitCode = 1;
}
