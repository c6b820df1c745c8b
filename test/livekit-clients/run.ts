// `npm run test:livekit-clients`: LiveKit's Node plugins against a cluster of its own. Arguments go to Node's test
// runner: `-- --test-name-pattern=Fish`.
import { join } from "node:path";
import { runOutsideClients } from "../clients/outside-clients.js";
import { root } from "../structure/sources.js";
import { ensureModules, MissingModules } from "./modules.js";

const testFiles = ["elevenlabs.js", "fish-audio.js", "openai.js"].map((file) => join(import.meta.dirname, file));

async function main(args: string[]): Promise<number> {
  const modules = join(root, "node_modules/.cache/livekit-clients");
  ensureModules(modules, join(root, "test/livekit-clients/packages"));
  return await runOutsideClients({
    // The voices that the plugins of OpenAI and ElevenLabs ask for by default.
    settings: { PARLEY_VOICE_ALIASES: "alloy=,bIHbv24MWmeRgasZH58o=" },
    program: process.execPath,
    // The plugins leave timers and native threads behind.
    args: [
      "--test",
      "--test-reporter=spec",
      "--test-force-exit",
      "--test-timeout=120000",
      "--test-concurrency=1",
      ...args,
      ...testFiles,
    ],
    environment: (certificate) => ({ NODE_EXTRA_CA_CERTS: certificate, LIVEKIT_MODULES: modules }),
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MissingModules)) throw error;
  console.error(`livekit clients: ${error.message}`);
  process.exitCode = 1;
}
