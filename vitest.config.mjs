import { defineConfig } from "vitest/config";

/** Measures stalls and memory of a cluster, which other tests beside it would disturb: it runs after them. */
const measuring = "dist/test/attack/attack.test.js";

const common = { testTimeout: 30_000, hookTimeout: 120_000, globalSetup: ["dist/test/harness/global-setup.js"] };

// Tests run from the compiled tree: the same files that `npm start` runs, so that threads and child processes need no
// second loader.
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: "tests",
          include: ["dist/**/*.test.js"],
          exclude: [measuring],
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...common, name: "attacks", include: [measuring], sequence: { groupOrder: 1 } } },
    ],
  },
});
