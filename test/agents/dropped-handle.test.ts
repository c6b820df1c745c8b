import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const urlOf = (file: string): string => JSON.stringify(pathToFileURL(file).href);
const requireOfLibrary = createRequire(createRequire(import.meta.url).resolve("@livekit/rtc-node"));

/** A role whose garbage collector finds a handle of LiveKit's library that is not there, and which then throws. */
const role = (options: string): string => `
  const { isDroppedHandle } = await import(${urlOf(join(root, "dist/agents/room/livekit-room.js"))});
  const { runRole } = await import(${urlOf(join(root, "dist/common/lifecycle/role.js"))});
  const { FfiHandle } = (await import(${urlOf(requireOfLibrary.resolve("@livekit/rtc-ffi-bindings"))})).default;
  const start = async () => {
    for (let count = 0; count < 10; count++) new FfiHandle(BigInt(1e9 + count));
    setImmediate(() => { gc(); setTimeout(() => { throw new Error("something else"); }, 100); });
    return { drain: async () => {}, stop: async () => {}, reasonsNotReady: () => [] };
  };
  runRole("agent", start, ${options});`;

async function run(options: string): Promise<{ code: unknown; said: string }> {
  const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "-e", role(options)], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, said };
}

it("survives a handle that LiveKit's library had dropped, and nothing else", async () => {
  const [wary, plain] = await Promise.all([run("{ isHarmless: isDroppedHandle }"), run("{}")]);
  expect(wary.said).toContain("trying to drop an invalid handle");
  expect(wary.said).toContain("a library complains of what does no harm");
  expect(wary.said.split("\n").find((line) => line.includes("uncaught exception"))).toContain("something else");
  expect(wary.code).toBe(1);
  expect(plain.said.split("\n").find((line) => line.includes("uncaught exception"))).toContain("invalid handle");
  expect(plain.code).toBe(1);
});
