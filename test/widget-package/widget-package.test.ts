import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { root } from "../structure/sources.js";

/** A program of somebody who uses the package; what is wrong in it must be found by its types. */
const program = `
import { Call, CallFailure, type Caption, readSession } from "parley-widget";

const call = new Call({
  agentId: "a",
  serverUrl: process.argv[2] ?? "",
  dynamicVariables: { plan: "gold", seats: 3 },
  metadata: { of: { any: "form" } },
});
const lines: string[] = [];
const stop: () => void = call.on("caption", ({ speaker, text }: Caption) => lines.push(speaker + text));
call.on("state", ({ state }) => console.log(state));
call.on("failed", (failure) => console.log(failure instanceof CallFailure, failure.code, failure.status));
call.registerTool("add", async ({ a }) => Number(a) + 1);
stop();
export function wrong(): void {
  // @ts-expect-error There is no such event.
  call.on("caption!", () => undefined);
  // @ts-expect-error An agent has an id.
  new Call({ serverUrl: "" });
  // @ts-expect-error The state is read.
  call.state = "ended";
}
await call.start({ microphone: false });
console.log(call.state, call.captions.length, readSession({ session_id: "s", livekit_url: "ws://room", token: "t" }).url);
`;

const options = ["--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--types", "node", "--strict"];

describe("the widget's package", () => {
  const directory = temporaryDirectory("package");
  const modules = join(directory.path, "node_modules");
  const installed = join(modules, "parley-widget");

  beforeAll(() => {
    execFileSync(process.execPath, [join(root, "launcher/package-widget.mjs")], { stdio: "pipe" });
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", directory.path], {
      cwd: join(root, "dist/widget-package"),
      encoding: "utf8",
    });
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["-xzf", join(directory.path, packed.trim()), "--strip-components=1", "-C", installed]);
    symlinkSync(join(root, "node_modules/livekit-client"), join(modules, "livekit-client"));
    symlinkSync(join(root, "node_modules/@types"), join(modules, "@types"));
    writeFileSync(join(directory.path, "package.json"), '{"type": "module"}');
    writeFileSync(join(directory.path, "program.ts"), program);
  });
  afterAll(() => directory.remove());

  it("has what it says, its licence, and one dependency of a fixed version", () => {
    expect(readdirSync(installed).sort()).toEqual([
      "LICENSE",
      "README.md",
      "index.js",
      "livekit-room.js",
      "package.json",
      "room-topics.js",
      "types",
    ]);
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
    expect(manifest["dependencies"]).toEqual({ "livekit-client": expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    // LiveKit's client comes with the first call, not with the package.
    expect(readFileSync(join(installed, "index.js"), "utf8")).not.toContain('from "livekit-client"');
  });

  it("is used from outside, with its types and its class, up to what a server answers", async () => {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [compiler, ...options, "program.ts"], { cwd: directory.path, stdio: "pipe" });
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(403, { "content-type": "application/json" });
      response.end('{"status": 403, "message": "Origin not allowed"}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/behind/a/proxy`;
    const { stdout } = await promisify(execFile)(process.execPath, ["program.js", address], { cwd: directory.path });
    server.close();
    expect(stdout.trim().split("\n")).toEqual([
      "connecting",
      "failed",
      "true origin_forbidden 403",
      "failed 0 ws://room",
    ]);
  });
});
