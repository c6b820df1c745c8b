import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { wavHeader } from "#audio/encoding/pcm-codec";
import type { TestCluster } from "../../harness/cluster.js";
import { sharedCluster } from "../../harness/shared-cluster.js";
import { CANARY, type HttpCase, type SocketCase } from "./case.js";
import { socketCases } from "./socket-cases.js";
import { speechCases } from "./speech-cases.js";
import { transcriptionCases } from "./transcription-cases.js";

/** All that `detail.status` may say (docs/protocol.md "ElevenLabs"). */
const nineWords = new Set([
  "invalid_request",
  "unauthorized",
  "voice_not_found",
  "model_not_found",
  "not_found",
  "payload_too_large",
  "rate_limit_error",
  "upstream_error",
  "provider_error",
]);

const CONCURRENCY = 12;
/** Every case must be over by then, on a busy machine too. */
const LIMIT_MS = 45_000;
/** What a socket says that has no room for a stream. */
const BUSY = '"code":503';
const [MOST_TRIES, COME_AGAIN_MS] = [40, 500];

/** A second and a bit of a tone. */
const tone = Buffer.concat([
  wavHeader(16_000),
  Buffer.from(Int16Array.from({ length: 17_600 }, (_, n) => 8000 * Math.sin((n * 2 * Math.PI * 440) / 16_000)).buffer),
]);
const requests = [...speechCases(), ...transcriptionCases(tone)];
const sockets = socketCases();

describe("bad input to the compatibility layers", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });

  async function all<T extends { name: string }>(
    cases: readonly T[],
    judge: (one: T) => Promise<string | null>,
  ): Promise<string[]> {
    const waiting = [...cases];
    const failures: string[] = [];
    const worker = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const failure = await judge(one).catch((error: unknown) => String(error));
        if (failure !== null) failures.push(`${one.name}: ${failure}`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return failures;
  }

  async function send(asked: HttpCase): Promise<string | null> {
    const headers = { authorization: `Bearer ${cluster.apiKey}`, ...asked.headers };
    if (headers.authorization === "") delete (headers as { authorization?: string }).authorization;
    const body = asked.body instanceof Uint8Array ? Buffer.from(asked.body) : asked.body;
    const answer = await fetch(`${cluster.baseUrl}${asked.path}`, {
      method: asked.method,
      headers,
      body,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const text = await answer.text();
    const shown = `${answer.status} ${text.slice(0, 200)}`;
    if (!asked.statuses.includes(answer.status)) return `expected ${asked.statuses.join(" or ")}, got ${shown}`;
    if (text.includes(CANARY)) return `the input was echoed: ${shown}`;
    if (!/^[0-9a-f]{32}$/.test(answer.headers.get("x-generation-id") ?? "")) return "no X-Generation-Id";
    return answer.ok || isErrorOf(asked.protocol, answer.status, text) ? null : `another shape: ${shown}`;
  }

  function isErrorOf(protocol: HttpCase["protocol"], status: number, text: string): boolean {
    const body = JSON.parse(text) as {
      error?: { code?: unknown; message?: unknown; type?: unknown };
      detail?: { status?: unknown; message?: unknown };
    };
    if (protocol === "elevenlabs")
      return (
        nineWords.has(String(body.detail?.status)) &&
        typeof body.detail?.message === "string" &&
        body.detail.message !== ""
      );
    return (
      body.error?.code === status &&
      typeof body.error.message === "string" &&
      body.error.message !== "" &&
      typeof body.error.type === "string"
    );
  }

  /** As a client does that is told to come again: other tests of this process may have the cluster busy. */
  async function converse(asked: SocketCase): Promise<string | null> {
    for (let tries = 1; ; tries++) {
      const verdict = await converseOnce(asked);
      if (verdict?.includes(BUSY) !== true || tries === MOST_TRIES) return verdict;
      await wait(COME_AGAIN_MS);
    }
  }

  function converseOnce(asked: SocketCase): Promise<string | null> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${cluster.baseUrl.replace("http", "ws")}${asked.path}`, {
        headers: { authorization: `Bearer ${cluster.apiKey}` },
      });
      let received = "";
      let isDone = false;
      const done = (verdict: string | null): void => {
        isDone = true;
        clearTimeout(timer);
        socket.terminate();
        resolve(verdict ?? (received.includes(CANARY) ? `the input was echoed: ${received.slice(0, 300)}` : null));
      };
      const timer = setTimeout(() => done(`it hangs: ${received.slice(0, 300)}`), LIMIT_MS);
      socket.on("open", () => asked.frames.forEach((frame) => socket.send(frame)));
      socket.on("message", (data: Buffer) => {
        received += data.toString();
        if (received.includes(BUSY)) return done(`refused: ${received.slice(0, 300)}`);
        if (asked.closes === undefined && asked.reports !== undefined && received.includes(asked.reports)) done(null);
      });
      socket.on("unexpected-response", (_request, { statusCode, headers }) => {
        if (statusCode !== asked.refused) return done(`refused with ${statusCode}`);
        done(headers["x-generation-id"] === undefined ? "no X-Generation-Id" : null);
      });
      socket.on("error", () => undefined); // the close says what is to be known
      socket.on("close", (code) => {
        if (isDone) return;
        if (asked.closes?.includes(code) !== true) return done(`closed with ${code}: ${received.slice(0, 300)}`);
        done(
          asked.reports === undefined || received.includes(asked.reports)
            ? null
            : `did not tell ${asked.reports}: ${received.slice(0, 300)}`,
        );
      });
    });
  }

  it("has 500 cases, no two of one name", () => {
    const names = [...requests, ...sockets].map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(500);
  });

  it("is answered in the vendor's own shape", async () => {
    expect(await all(requests, send)).toEqual([]);
  }, 300_000);

  it("ends or goes on as documented on sockets", async () => {
    expect(await all(sockets, converse)).toEqual([]);
  }, 300_000);

  it("leaves the service as it was", async () => {
    expect(cluster.processes().filter((process) => process.lives !== 1 || process.pid === null)).toEqual([]);
    expect(cluster.complaints.filter(({ level }) => level === "error" || level === "fatal")).toEqual([]);
    const body = JSON.stringify({ input: "Still here.", response_format: "wav" });
    const headers = { authorization: `Bearer ${cluster.apiKey}`, "content-type": "application/json" };
    const spoken = await fetch(`${cluster.baseUrl}/compat/v1/audio/speech`, { method: "POST", headers, body });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
  });
});
