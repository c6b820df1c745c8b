import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { decodeWithFfmpeg, runProgram, soundingShare } from "../harness/audio.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

/** Every route once, as a person at a terminal calls it. */
describe("curl", () => {
  let cluster: TestCluster;
  const folder = temporaryDirectory("curl");
  const file = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    mkdirSync(folder.path, { recursive: true });
    cluster = await sharedCluster();
  });
  afterAll(async () => {
    folder.remove();
  });

  async function curl(path: string, ...args: string[]): Promise<Buffer> {
    const all = [
      "-sS",
      "--fail-with-body",
      "-H",
      `Authorization: Bearer ${cluster.apiKey}`,
      ...args,
      cluster.baseUrl + path,
    ];
    return Buffer.from(await runProgram("curl", all, new Uint8Array()));
  }
  const json = async (path: string, ...args: string[]): Promise<Record<string, unknown>> =>
    JSON.parse((await curl(path, ...args)).toString());
  const recordings = async (audio: Uint8Array): Promise<boolean> => soundingShare(await decodeWithFfmpeg(audio)) > 0.5;

  it("makes an mp3 from JSON and from MessagePack", async () => {
    expect(await recordings(await curl("/v1/tts", "-H", "model: s1", "--json", '{"text":"Hello from curl."}'))).toBe(
      true,
    );
    writeFileSync(file("body.msgpack"), encode({ text: "Hello from curl.", format: "wav" }));
    const wav = await curl(
      "/v1/tts",
      "-H",
      "Content-Type: application/msgpack",
      "--data-binary",
      `@${file("body.msgpack")}`,
    );
    expect(await recordings(wav)).toBe(true);
    writeFileSync(file("sample.wav"), wav);
  });

  it("follows the stream with timestamps", async () => {
    const events = (
      await curl("/v1/tts/stream/with-timestamp", "-N", "--json", '{"text":"Hello from curl."}')
    ).toString();
    expect(events.startsWith('data: {"')).toBe(true);
    expect(events).toContain('"text":"Hello"');
  });

  it("makes, finds, shows, changes and deletes a voice", async () => {
    writeFileSync(
      file("voice.wav"),
      await curl("/v1/tts", "--json", '{"text":"This sample is long enough to be measured, I hope.","format":"wav"}'),
    );
    const form = ["-F", "type=tts", "-F", "train_mode=fast", "-F", "title=curl voice", "-F", "visibility=private"];
    const created = await json("/model", ...form, "-F", `voices=@${file("voice.wav")}`);
    expect(created).toMatchObject({ title: "curl voice", state: "trained" });
    const id = String(created._id);
    expect((await json("/model?self=true&title=curl%20voice")).total).toBe(1);
    expect(await json(`/model/${id}`, "-X", "PATCH", "-d", "title=changed")).toEqual({ status: "ok" });
    expect(await json(`/model/${id}`)).toMatchObject({ title: "changed" });
    expect(await json(`/model/${id}`, "-X", "DELETE")).toEqual({ status: "ok" });
    await expect(curl(`/model/${id}`)).rejects.toThrow("404");
  });

  it("reads the wallet", async () => {
    expect(Number((await json("/wallet/self/api-credit")).credit)).toBeGreaterThan(0);
    expect(await json("/wallet/self/package")).toHaveProperty("_id");
  });

  it.each(["/health", "/ready", "/metrics", "/openapi.json", "/docs", "/"])("reads %s without a key", async (path) => {
    const answer = await runProgram("curl", ["-sS", "--fail-with-body", cluster.baseUrl + path], new Uint8Array());
    expect(answer.byteLength).toBeGreaterThan(20);
  });

  it("writes what it was given to a file while it comes", async () => {
    await curl("/v1/tts", "--json", '{"text":"To a file."}', "-o", file("out.mp3"));
    expect(await recordings(readFileSync(file("out.mp3")))).toBe(true);
    rmSync(file("out.mp3"));
  });
});
