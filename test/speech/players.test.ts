import { readFileSync } from "node:fs";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { postSpeech, speechWhenAdmitted } from "../harness/http-speech.js";
import { openLive } from "../harness/live-client.js";
import { until } from "../harness/processes.js";
import { encode } from "@msgpack/msgpack";

const hour = "This is a long text that takes a while to speak, and nobody minds. ".repeat(800);

/**
 * Clients that go away, or barely listen: their work must end, their audio must not pile up, and others must not
 * notice.
 */
describe("listeners", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    // Streams may wait for long, however busy the machine is: this is about clients, not about load.
    cluster = await startCluster({ workers: 2, settings: { PARLEY_ADMISSION_WAIT_MS: "600000" } });
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  async function activeStreams(): Promise<number> {
    const lines = (await (await fetch(`${cluster.baseUrl}/metrics`)).text()).split("\n");
    return lines
      .filter((line) => line.startsWith("parley_streams_active"))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  /** Nothing is queued, nothing runs, nothing streams: in scheduler, workers and edge. */
  async function isIdle(): Promise<boolean> {
    const health = (await (await fetch(`${cluster.baseUrl}/health`)).json()) as {
      schedulers: { loads: { slots: number; free_slots: number; queued_chunks: number }[] }[];
    };
    const loads = health.schedulers.flatMap((scheduler) => scheduler.loads);
    return (
      loads.length > 0 &&
      loads.every((load) => load.free_slots === load.slots && load.queued_chunks === 0) &&
      (await activeStreams()) === 0
    );
  }

  /** Speech begins on a raw socket that reads only when it is told to; null when it is refused. */
  async function slowReader(): Promise<Socket | null> {
    const { hostname, port } = new URL(cluster.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    const body = JSON.stringify({ text: hour, format: "wav" });
    socket.write(
      `POST /v1/tts HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${cluster.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    socket.pause();
    const status = "HTTP/1.1 200";
    for (;;) {
      const head = socket.read(status.length) as Buffer | null;
      if (head?.toString() === status) return socket;
      if (head !== null) break;
      await once(socket, "readable");
    }
    socket.destroy();
    return null;
  }

  const residentBytes = (): number => {
    const pid = cluster.processes().find((process) => process.name === "edge")!.pid!;
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
  };

  it("cancel their work in every role within two seconds by leaving (HTTP)", async () => {
    const leave = new AbortController();
    const response = await postSpeech(cluster, { text: hour, format: "pcm" }, { signal: leave.signal });
    await response.body!.getReader().read();
    expect(await isIdle()).toBe(false);
    leave.abort();
    await until(isIdle, { withinMs: 2000, what: "all roles to be idle" });
  });

  it("cancel their work in every role within two seconds by leaving (WebSocket)", async () => {
    const socket = openLive({ baseUrl: cluster.baseUrl, apiKey: cluster.apiKey });
    const recognized = new Promise((resolve) => socket.once("message", resolve));
    socket.once("open", () => {
      socket.send(encode({ event: "start", request: { text: "", format: "pcm" } }));
      socket.send(encode({ event: "text", text: hour.slice(0, 20_000) }));
    });
    await recognized;
    socket.terminate();
    await until(isIdle, { withinMs: 2000, what: "all roles to be idle" });
  });

  it("that read a byte a second cost little memory, and leave others alone", async () => {
    // A process that has served as many before, so that what grows from here on is the readers' own.
    for (let round = 0; round < 8; round++)
      await Promise.all([...Array(10)].map(() => speechWhenAdmitted(cluster, { text: "Meanwhile.", format: "wav" })));
    const before = residentBytes();
    // One after the other: twenty long texts at once are more than a busy machine begins in time.
    const readers: Socket[] = [];
    while (readers.length < 20) {
      const reader = await slowReader();
      if (reader === null) await new Promise((resolve) => setTimeout(resolve, 250));
      else readers.push(reader);
    }
    expect(await activeStreams()).toBe(20);
    let read = 0;
    for (let second = 0; second < 5; second++) {
      for (const reader of readers) if (reader.read(1) !== null) read++;
      const startedAtMs = performance.now();
      expect((await speechWhenAdmitted(cluster, { text: "Meanwhile.", format: "pcm" })).byteLength).toBeGreaterThan(
        20_000,
      );
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (performance.now() - startedAtMs))));
    }
    expect(read).toBeGreaterThan(20);
    expect(residentBytes() - before).toBeLessThan(20 * 4 * 1024 * 1024);
    expect(await activeStreams()).toBe(20);
    for (const reader of readers) reader.destroy();
    await until(isIdle, { withinMs: 2000, what: "all roles to be idle" });
  });
});
