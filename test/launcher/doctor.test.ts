import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { writeRunFile } from "#launcher/run-file";
import { runCommandLine } from "../../cli/main.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

interface Finding {
  subject: string;
  state: string;
  detail: string;
}

/** What `parley doctor` says of LiveKit. */
async function doctor(environment: Record<string, string>): Promise<Finding[]> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const printed = text(stdout);
  await runCommandLine(["doctor", "--json"], {
    environment: { PATH: process.env.PATH, PORT: "0", ...environment },
    stdin: Readable.from([]),
    stdout,
    stderr,
    distDirectory: join(import.meta.dirname, "../.."),
  });
  stdout.end();
  return (JSON.parse(await printed) as Finding[]).filter(({ subject }) => subject.startsWith("LiveKit"));
}

describe.skipIf(!canRunLiveKit)("parley doctor on LiveKit", () => {
  let livekit: TestLiveKit;
  beforeAll(async () => {
    livekit = await startLiveKit();
  }, LIVEKIT_BUILD_MS);
  afterAll(() => livekit.stop());

  function settings(changes: Record<string, string> = {}): Record<string, string> {
    const directory = temporaryDirectory("doctor");
    onTestFinished(directory.remove);
    const { url, apiKey, apiSecret } = livekit;
    const access = { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret };
    return { PARLEY_DATA_DIR: directory.path, ...access, ...changes };
  }

  it("joins a room, and says how media gets there and what callers are told", async () => {
    const [signalling, media, tcp, address] = await doctor(settings());
    expect(signalling).toMatchObject({ state: "ok", detail: `${livekit.url} answers` });
    expect(media).toMatchObject({ subject: "LiveKit media", state: "ok" });
    expect(media?.detail).toContain(`UDP to 127.0.0.1:${livekit.ports.udpPort}, joined in `);
    // Nobody listens at LiveKit's usual port here.
    expect(tcp).toMatchObject({ state: "optional", detail: expect.stringContaining("127.0.0.1:7881") });
    expect(address).toMatchObject({ state: "ok", detail: `${livekit.url}: callers on this machine only` });
  });

  it("finds the launcher's own by the cluster that runs here", async () => {
    const directory = temporaryDirectory("doctor");
    onTestFinished(directory.remove);
    const { url, apiKey, apiSecret, ports } = livekit;
    writeRunFile(directory.path, {
      pid: process.pid,
      baseUrl: "http://127.0.0.1:9",
      natsUrl: "",
      redisUrl: "",
      liveKit: { url, apiKey, apiSecret, publicUrl: url, tcpPort: ports.tcpPort },
    });
    const found = await doctor({ PARLEY_DATA_DIR: directory.path });
    expect(found.map(({ state }) => state)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(found[2]?.detail).toBe(`127.0.0.1:${ports.tcpPort}`);
  });

  it("says what is wrong with a key, a server that is away, and an address that leads nowhere", async () => {
    const [, media] = await doctor(settings({ LIVEKIT_API_SECRET: "wrong".repeat(8) }));
    expect(media).toMatchObject({ state: "missing", detail: expect.stringContaining("cannot be joined") });
    expect(await doctor(settings({ LIVEKIT_URL: "ws://127.0.0.1:9" }))).toEqual([
      expect.objectContaining({ state: "missing", detail: expect.stringContaining("does not answer") }),
    ]);
    const found = await doctor(settings({ LIVEKIT_PUBLIC_URL: "wss://127.0.0.1:9" }));
    expect(found.at(-1)).toMatchObject({ state: "missing", detail: "wss://127.0.0.1:9 does not answer" });
  });

  it("says that there is none", async () => {
    const directory = temporaryDirectory("doctor");
    onTestFinished(directory.remove);
    expect(await doctor({ PARLEY_DATA_DIR: directory.path })).toEqual([expect.objectContaining({ state: "optional" })]);
  });
});
