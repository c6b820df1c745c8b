import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const library = JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../common/lifecycle/role.js")).href);

/** A role that retires when it is ready, and says what it does. */
const retiring = `
  const { runRole } = await import(${library});
  runRole("agent", async ({ retire }) => {
    retire("too early");
    setTimeout(() => retire("it is too large"), 50);
    return {
      drain: async () => console.log("drains"), stop: async () => console.log("stops"), reasonsNotReady: () => [],
    };
  });`;

it("retires as if it were ended: drains, stops, and leaves nothing to complain of", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", retiring], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "close")) as [unknown];
  expect(said).toMatch(/"msg":"ready".*"reason":"it is too large".*drains\nstops\n/s);
  expect(said).not.toContain("too early");
  expect(code).toBe(0);
});
