import { defineConfig } from "vitest/config";

// Tests run from the compiled tree: the same files that `npm start` runs, so that threads and child processes need no second loader.
export default defineConfig({
  test: {
    include: ["dist/**/*.test.js"],
    globalSetup: ["dist/test/harness/global-setup.js"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
