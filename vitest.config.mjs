import { statfsSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";
import { ensureBuild, rooms, root } from "./launcher/setup.mjs";

// Threads and child processes run compiled files: they are fresh whatever runs the tests.
ensureBuild();

const MEMORY_FOLDER = "/dev/shm";
const LEAST_FREE_BYTES = 6 * 1024 ** 3;
const TMPFS_MAGIC = 0x01021994;

/**
 * Whether temporary folders may lie in memory: tests copy and delete databases of a thousand files each, for which ext4
 * without a journal took a fifth of the processor time of all tests (it looks for inodes among those just deleted).
 */
function hasMemoryFolder() {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return type === TMPFS_MAGIC && bavail * bsize >= LEAST_FREE_BYTES;
  } catch {
    // Only Linux has it, and a container may have a small one or none.
    return false;
  }
}

if (process.env.TMPDIR === undefined && hasMemoryFolder()) process.env.TMPDIR = MEMORY_FOLDER;

/**
 * Gives Vitest, for the source of a test, its compiled form: the same files that `npm start` runs. Vitest looks for
 * sources only, so what a deleted test was compiled to cannot run.
 */
const compiledTests = {
  name: "compiled-tests",
  enforce: "pre",
  configureVitest({ vitest }) {
    // Between two runs of one process nothing would compile.
    if (vitest.config.watch) throw new Error("vitest cannot watch here; npm run test:file -- <path> takes two seconds");
  },
  load(id) {
    if (!id.endsWith(".test.ts")) return null;
    return `import ${JSON.stringify(join(root, "dist", relative(root, id)).replace(/\.ts$/, ".js"))};`;
  },
};

const testsOf = (room) => `${room}/**/*.test.ts`;
const system = testsOf("test");
/**
 * Without a server, and not among the quick ones: they run models, codecs and ffmpeg, hours of a simulated cluster, or
 * measure the memory or the stalls of a process of their own.
 */
const engines = [
  testsOf("workers/{engines,inspection}"),
  testsOf("audio/{decoding,encoding,voice}"),
  testsOf("bench/{answering-machines,gpu,http-engines,simulation}"),
  "workers/repository/repository.test.ts",
  "control-plane/knowledge/indexer.test.ts",
  "control-plane/recordings/join-segments.test.ts",
];

/** Measures stalls and memory of a cluster, which other tests beside it would disturb: it runs after them. */
const measuring = "test/attack/attack.test.ts";

/** Speak, listen and wait in the pace of speech, which a machine that does other work does not keep. */
const paced = [
  "test/agents/{browser,room,turn}.test.ts",
  "test/cli/agents.test.ts",
  "test/conversations/browser.test.ts",
  "test/sessions/takeover.test.ts",
  testsOf("test/sip"),
  testsOf("test/widget"),
];

/** Hold whole conversations in that pace: each runs alone. */
const conversations = ["test/calls/phone-call.test.ts", "test/conversations/conversation.test.ts"];

/** Ask a whole cluster things and leave it as it was: those that run in one process share one. */
const sharing = [
  "test/attack/revoked-keys.test.ts",
  "test/clients/{ai-sdk,curl,elevenlabs,fish-audio,openai,realtime}.test.ts",
  "test/compat/bad-input/bad-input.test.ts",
  "test/docs/docs.test.ts",
  "test/launcher/first-audio.test.ts",
  "test/speech/{audio,intelligibility,sampling,timestamps}.test.ts",
];

const common = { testTimeout: 30_000, hookTimeout: 120_000 };
const withServers = { ...common, globalSetup: ["dist/test/harness/global-setup.js"] };

export default defineConfig({
  plugins: [compiledTests],
  test: {
    maxWorkers: 2,
    // Compiled files need no other compiler: Node loads them as it does in the product.
    server: { deps: { external: [/\/dist\//] } },
    watch: false,
    // A condition that holds late fails no test, and one that holds soon is seen soon.
    expect: { poll: { interval: 10, timeout: 10_000 } },
    maxConcurrency: 30,
    projects: [
      // A test beside the code that it tests needs no server and installs nothing.
      {
        extends: true,
        test: {
          ...common,
          name: "unit",
          include: rooms.map(testsOf).filter((tests) => tests !== system),
          exclude: engines,
          setupFiles: ["dist/common/testing/property-runs.js"],
          // Hundreds of small files, of which none changes what another one sees.
          isolate: false,
        },
      },
      { extends: true, test: { ...common, name: "engines", include: engines } },
      { extends: true, test: { ...withServers, name: "shared-cluster", include: sharing, isolate: false } },
      {
        extends: true,
        test: {
          ...withServers,
          name: "system",
          include: [system],
          exclude: [measuring, ...paced, ...conversations, ...sharing],
          // A process for each file would load the half of the product again for each.
          isolate: false,
        },
      },
      { extends: true, test: { ...withServers, name: "paced", include: paced, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          ...withServers,
          name: "conversations",
          include: conversations,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      { extends: true, test: { ...withServers, name: "attacks", include: [measuring], sequence: { groupOrder: 3 } } },
    ],
  },
});
