import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { treeSeconds } from "./processor-time.js";

it("counts the processor time of descendants that have ended", () => {
  const busyMs = 300;
  const grandchild = `const end = process.cpuUsage().user + ${busyMs * 1000}; while (process.cpuUsage().user < end);`;
  const child = `require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(grandchild)}])`;
  const before = treeSeconds(process.pid);
  spawnSync(process.execPath, ["-e", child]);
  expect(treeSeconds(process.pid) - before).toBeGreaterThan(busyMs / 1000 - 0.05);
});
