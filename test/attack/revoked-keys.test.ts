import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controlSubjects, type KeysReply, type KeysRequest, type Reply } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { closeOf, openSocket } from "./connection.js";

const sockets = [
  "/v1/tts/live",
  "/compat/elevenlabs/v1/text-to-speech/default/stream-input",
  "/compat/elevenlabs/v1/text-to-speech/default/multi-stream-input",
  "/compat/elevenlabs/v1/speech-to-text/realtime",
  "/compat/openai/v1/realtime?model=s1",
];

/** Within this long a socket is closed whose key is not good any more. */
const CLOSED_WITHIN_MS = 5000;

describe("live sockets of a key", () => {
  let cluster: TestCluster;
  let bus: Bus;
  const over = new AbortController();

  beforeAll(async () => {
    cluster = await sharedCluster();
    bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
  });
  afterAll(async () => {
    over.abort();
    await bus.close();
  });

  const keys = async (request: KeysRequest): Promise<KeysReply> => {
    const reply = await bus.request<Reply<KeysReply>>(controlSubjects.keys, request, {
      timeoutMs: 10_000,
      dependency: "Keys",
    });
    if (!reply.ok) throw new Error(reply.error.code);
    return reply.value;
  };

  const createKey = async (expiresInMs: number | null): Promise<{ id: string; key: string }> => {
    const reply = await keys({ action: "create", name: "a key", teamId: null, scopes: null, expiresInMs });
    return { id: reply.keys[0]?.keyId ?? "", key: reply.key ?? "" };
  };

  /** Opens one of each; tells how each ends, and when. */
  const openAll = async (key: string): Promise<Promise<{ path: string; code: number; atMs: number }>[]> => {
    const { hostname, port } = new URL(cluster.baseUrl);
    const target = { host: hostname, port: Number(port), apiKey: key, random: () => 0 };
    const opened = await Promise.all(
      sockets.map(async (path) => ({
        path,
        socket: await openSocket(
          target,
          { path, headers: { authorization: `Bearer ${key}`, "xi-api-key": key } },
          over.signal,
        ),
      })),
    );
    expect(opened.filter(({ socket }) => socket === null)).toEqual([]);
    return opened.flatMap(({ path, socket }) => {
      if (socket === null) return [];
      return [closeOf(socket).then((code) => ({ path, code, atMs: performance.now() }))];
    });
  };

  it("are closed with 1008 when it is revoked; those of other keys are not", async () => {
    const { id, key } = await createKey(null);
    const others = await openAll(cluster.apiKey);
    const closing = await openAll(key);
    const revokedAtMs = performance.now();
    await keys({ action: "revoke", keyId: id });
    const closed = await Promise.all(closing);
    expect(closed.map(({ path, code }) => [path, code])).toEqual(sockets.map((path) => [path, 1008]));
    for (const { atMs } of closed) expect(atMs - revokedAtMs).toBeLessThan(CLOSED_WITHIN_MS);
    expect(await Promise.race([...others, Promise.resolve("open")])).toBe("open");
  });

  it("are closed with 1008 when it expires", async () => {
    const lifeMs = 4000;
    const expiresAtMs = performance.now() + lifeMs;
    const { key } = await createKey(lifeMs);
    const closed = await Promise.all(await openAll(key));
    expect(closed.map(({ path, code }) => [path, code])).toEqual(sockets.map((path) => [path, 1008]));
    for (const { atMs } of closed) expect(atMs - expiresAtMs).toBeLessThan(CLOSED_WITHIN_MS);
  });
});
