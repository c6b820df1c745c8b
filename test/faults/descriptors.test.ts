import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { decode, encode } from "@msgpack/msgpack";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCluster, type TestCluster } from "../harness/cluster.js";
import { openLive, speakLive } from "../harness/live-client.js";
import { until } from "../harness/processes.js";

const TEXT = "Nobody else is taken, and this is spoken to its end.";
const request = { format: "pcm", sample_rate: 16_000 };

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ models: ["espeak"] });
});
afterAll(() => cluster.stop());

it("an edge without a file descriptor left speaks to its end what it has begun, says so in its log, and takes connections again when there are some", async () => {
  const reference = await speakLive({ ...cluster, request, events: [TEXT, { event: "stop" }] });
  const edge = cluster.processes().find(({ name }) => name === "edge");
  const pid = edge?.pid ?? Number.NaN;
  const open = (): number => readdirSync(`/proc/${pid}/fd`).length;

  const socket = openLive(cluster);
  const parts: Uint8Array[] = [];
  socket.on("message", (data: Buffer) => {
    const { audio } = decode(data) as { audio?: Uint8Array };
    if (audio !== undefined) parts.push(audio);
  });
  await once(socket, "open");
  socket.send(encode({ event: "start", request: { text: "", ...request } }));

  const limit = open() + 8;
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`]);
  const others: Socket[] = Array.from({ length: 40 }, () =>
    connect(Number(new URL(cluster.baseUrl).port), "127.0.0.1"),
  );
  await until(() => open() >= limit, { withinMs: 10_000, what: "descriptors to be used up" });
  const isWarned = (): boolean =>
    cluster.complaints.some(
      ({ name, text }) => name === "edge" && text.includes("file descriptors are nearly used up"),
    );
  await until(isWarned, { withinMs: 30_000, what: "a warning" });

  socket.send(encode({ event: "text", text: TEXT }));
  socket.send(encode({ event: "stop" }));
  await once(socket, "close");
  expect(Buffer.concat(parts).equals(Buffer.from(reference.audio))).toBe(true);
  expect(open()).toBeGreaterThanOrEqual(limit - 1);

  for (const other of others) other.destroy();
  const again = await speakLive({ ...cluster, request, events: [TEXT, { event: "stop" }] });
  expect(Buffer.from(again.audio).equals(Buffer.from(reference.audio))).toBe(true);
  expect(cluster.processes().find(({ name }) => name === "edge")?.lives).toBe(edge?.lives);
});
