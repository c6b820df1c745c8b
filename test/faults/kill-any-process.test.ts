import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256Hex } from "#common/identifier";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { type LiveResult, speakLiveWhenAdmitted } from "../harness/live-client.js";
import { until } from "../harness/processes.js";
import { howMany } from "../harness/thorough.js";

const STREAMS = howMany(24, 200);
const formats = ["pcm", "wav", "mp3", "opus"];
const nouns = ["river", "window", "teacher", "garden", "letter", "station", "doctor", "island", "market", "bridge"];

/** Three short sentences that no two streams share, so that audio that reached the wrong stream is seen. */
function sentences(stream: number): string[] {
  const noun = (offset: number): string => nouns[(stream + offset) % nouns.length]!;
  return [`Stream ${stream} begins. `, `The ${noun(0)} near the ${noun(3)} was closed. `, `Number ${stream} ends. `];
}

function speakAll(cluster: TestCluster, onAudio?: (bytes: number) => void): Promise<LiveResult[]> {
  return Promise.all(
    [...Array(STREAMS).keys()].map((stream) =>
      speakLiveWhenAdmitted({
        baseUrl: cluster.baseUrl,
        apiKey: cluster.apiKey,
        request: { format: formats[stream % formats.length] },
        events: [...sentences(stream), { event: "stop" }],
        onAudio,
      }),
    ),
  );
}

/**
 * The promise of docs/architecture.md: what dies under a stream is repaired, and the client gets every byte, once, in
 * order.
 */
describe(`kill -9 under ${STREAMS} live streams`, () => {
  let cluster: TestCluster;
  let undisturbed: LiveResult[];
  let undisturbedBytes: number;

  beforeAll(async () => {
    // This is about repair of what was begun, not about load: streams may wait for long, and come again when refused.
    cluster = await startCluster({ schedulers: 2, workers: 2, settings: { PARLEY_ADMISSION_WAIT_MS: "600000" } });
    undisturbed = await speakAll(cluster);
    undisturbedBytes = undisturbed.reduce((sum, result) => sum + result.audio.byteLength, 0);
  }, 180_000);
  afterAll(async () => {
    await cluster?.stop();
  });

  const readiesOf = (name: string): number =>
    cluster.events.filter((event) => event.type === "ready" && event.name === name).length;

  /** Needs the key to be known, and NATS, Redis and the control plane to work. */
  const askControlPlane = (): Promise<Response> =>
    fetch(`${cluster.baseUrl}/model`, { headers: { authorization: `Bearer ${cluster.apiKey}` } });

  it("has a sound undisturbed run to compare with", () => {
    for (const result of undisturbed) expect([result.finish, result.closeCode]).toEqual([{ reason: "stop" }, 1000]);
    for (const result of undisturbed) expect(result.audio.byteLength).toBeGreaterThan(10_000);
    expect(new Set(undisturbed.map((result) => sha256Hex(result.audio))).size).toBe(STREAMS);
  });

  it.each([
    "worker-1",
    "worker-2",
    "scheduler-1",
    "scheduler-2",
    "control-plane",
    "nats",
    "redis",
  ])("%s: every stream ends with the bytes of the undisturbed run", async (name) => {
    const readiesBefore = readiesOf(name);
    // Any moment of the run, told by how much audio has come; its very start aside, where upgrades still need the
    // control plane's word on the key.
    const killAtBytes = Math.round(undisturbedBytes * (0.02 + 0.9 * Math.random()));
    let receivedBytes = 0;
    let killed = false;
    const results = await speakAll(cluster, (bytes) => {
      receivedBytes += bytes;
      if (!killed && receivedBytes >= killAtBytes) killed = cluster.kill(name);
    });
    const context = `${name} killed after ${killAtBytes} of ${undisturbedBytes} bytes`;
    expect([context, killed]).toEqual([context, true]);
    await until(() => readiesOf(name) > readiesBefore, { withinMs: 60_000, what: `${name} to be ready again` });
    await until(async () => (await askControlPlane()).ok, { withinMs: 60_000, what: "the cluster to be whole again" });
    for (const [stream, result] of results.entries()) {
      expect([context, stream, result.finish, result.closeCode]).toEqual([context, stream, { reason: "stop" }, 1000]);
      expect([context, stream, sha256Hex(result.audio)]).toEqual([
        context,
        stream,
        sha256Hex(undisturbed[stream]!.audio),
      ]);
    }
  }, 120_000);
});
