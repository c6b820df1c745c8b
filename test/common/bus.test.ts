import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bus, LogConflict } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";

const log = createLogger("test", "fatal");
const connect = (server: ExternalServer, name: string): Promise<Bus> => connectNats({ url: server.url, name, log });

describe("the NATS bus", () => {
  let server: ExternalServer;
  let bus: Bus;
  let other: Bus;

  beforeAll(async () => {
    server = await startNats();
    [bus, other] = await Promise.all([connect(server, "one"), connect(server, "two")]);
  });

  afterAll(async () => {
    await Promise.all([bus.close(), other.close()]);
    await server.stop();
  });

  it("carries messages in order, byte arrays included", async () => {
    const recognized: { index: number; pcm: Uint8Array }[] = [];
    bus.subscribe<{ index: number; pcm: Uint8Array }>("t.order", (message) => recognized.push(message));
    await bus.flush();
    for (let index = 0; index < 500; index++) other.publish("t.order", { index, pcm: Uint8Array.of(index & 255, 7) });
    await until(() => recognized.length === 500, { withinMs: 5000, what: "500 messages" });
    expect(recognized.map((message) => message.index)).toEqual([...Array(500).keys()]);
    expect([...recognized[300]!.pcm]).toEqual([300 & 255, 7]);
  });

  it("gives each message to one member of a queue group", async () => {
    const recognized: number[] = [];
    bus.subscribe<{ n: number }>("t.queue", ({ n }) => recognized.push(n), { queue: "g" });
    other.subscribe<{ n: number }>("t.queue", ({ n }) => recognized.push(n), { queue: "g" });
    await Promise.all([bus.flush(), other.flush()]);
    for (let n = 0; n < 100; n++) bus.publish("t.queue", { n });
    await until(() => recognized.length >= 100, { withinMs: 5000, what: "100 messages" });
    await Promise.all([bus.flush(), other.flush()]);
    expect(recognized.toSorted((a, b) => a - b)).toEqual([...Array(100).keys()]);
  });

  it("answers requests, and says which dependency does not answer", async () => {
    bus.respond<{ n: number }, { doubled: number }>("t.double", async ({ n }) => ({ doubled: n * 2 }));
    await bus.flush();
    expect(await other.request("t.double", { n: 21 }, { timeoutMs: 1000, dependency: "Doubler" })).toEqual({
      doubled: 42,
    });
    await expect(other.request("t.nobody", {}, { timeoutMs: 200, dependency: "Accounts" })).rejects.toMatchObject({
      code: "dependency_unavailable",
      message: "Accounts is briefly unavailable",
    });
  });

  it("keeps a subscription alive after its handler threw", async () => {
    const recognized: number[] = [];
    bus.subscribe<{ n: number }>("t.throw", ({ n }) => {
      if (n === 1) throw new TypeError("deliberate");
      recognized.push(n);
    });
    await bus.flush();
    for (const n of [0, 1, 2]) other.publish("t.throw", { n });
    await until(() => recognized.length === 2, { withinMs: 2000, what: "the messages around the failure" });
    expect(recognized).toEqual([0, 2]);
  });

  it("stores, reads and deletes objects larger than a message", async () => {
    const declared = { name: "t-objects", maxAgeMs: 0 };
    const bucket = bus.objects(declared);
    const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251);
    await bucket.put("big", bytes);
    expect(Buffer.compare((await other.objects(declared).get("big"))!, bytes)).toBe(0);
    await bucket.delete("big");
    await bucket.delete("big");
    expect(await bucket.get("big")).toBeNull();
    expect(await bucket.get("never")).toBeNull();
  });

  it("says once that messages of a stream are not dealt with, until the reason changes or they are", async () => {
    const said: string[] = [];
    const note = (line: string): void => {
      const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
      said.push(err?.message ?? msg);
    };
    const noted = await connectNats({ url: server.url, name: "noted", log: pino({ level: "info" }, { write: note }) });
    const outcomes = ["full", "full", "full", "away", "away", null, "full", null];
    let attempts = 0;
    const stream = { name: "t-kept", subjects: ["t.kept"], maxAgeMs: 60_000, maxBytes: 1024 * 1024 };
    const subscription = noted.consume<object>({ stream, consumer: "c", batch: 1, lingerMs: 0 }, async () => {
      const outcome = outcomes[attempts++];
      if (outcome !== null) throw new Error(outcome);
    });
    await subscription.ready;
    other.publish("t.kept", {});
    await until(() => attempts === 6, { withinMs: 10_000, what: "the first message to be dealt with" });
    other.publish("t.kept", {});
    await until(() => attempts === outcomes.length, { withinMs: 10_000, what: "the second one to be" });
    await subscription.stop();
    await noted.close();
    expect(said).toEqual([
      "full",
      "away",
      "durable messages are dealt with again",
      "full",
      "durable messages are dealt with again",
    ]);
  });

  it("says of each stored message where it is stored, the same when it comes again", async () => {
    const stream = { name: "t-placed", subjects: ["t.placed.*"], maxAgeMs: 60_000, maxBytes: 1024 * 1024 };
    const seen: string[] = [];
    let isFirst = true;
    const subscription = bus.consume<{ n: number }>(
      { stream, consumer: "c", batch: 1, lingerMs: 0 },
      async (messages, _pending, places) => {
        for (const [index, { n }] of messages.entries())
          seen.push(`${n} ${places[index]?.subject} ${places[index]?.sequence}`);
        if (!isFirst) return;
        isFirst = false;
        throw new Error("once more");
      },
    );
    await subscription.ready;
    other.publish("t.placed.a", { n: 1 });
    other.publish("t.placed.b", { n: 2 });
    await until(() => seen.length === 3, { withinMs: 10_000, what: "two messages, one of them twice" });
    await subscription.stop();
    expect(seen.toSorted()).toEqual(["1 t.placed.a 1", "1 t.placed.a 1", "2 t.placed.b 2"]);
  });

  it("deletes what nobody has deleted in time, in a bucket that was made without a limit, too", async () => {
    const forEver = other.objects({ name: "t-expiring", maxAgeMs: 0 });
    await forEver.put("earlier", Uint8Array.of(1));
    const bucket = bus.objects({ name: "t-expiring", maxAgeMs: 1000 });
    await bucket.put("later", new Uint8Array(500_000));
    expect(await bucket.get("later")).not.toBeNull();
    await expect
      .poll(async () => [await bucket.get("earlier"), await bucket.get("later")], { timeout: 15_000 })
      .toEqual([null, null]);
  });

  describe("the log of a subject", () => {
    const stream = { name: "t-log", subjects: ["t.log.*"], maxAgeMs: 60_000, maxBytes: 4 * 1024 * 1024 };

    it("gives back what was written, each subject by itself and in order", async () => {
      const written = bus.subjectLog(stream);
      const first = await written.append("t.log.a", { n: 1 }, 0);
      await written.append("t.log.b", { n: 10 }, 0);
      const second = await written.append("t.log.a", { n: 2 }, first);
      const read = await other.subjectLog(stream).read<{ n: number }>("t.log.a");
      expect(read).toEqual([
        { sequence: first, message: { n: 1 } },
        { sequence: second, message: { n: 2 } },
      ]);
      expect(await other.subjectLog(stream).read("t.log.nobody")).toEqual([]);
    });

    it("takes one of two writers that know of the same last message", async () => {
      const last = await bus.subjectLog(stream).append("t.log.race", { n: 0 }, 0);
      const attempts = await Promise.allSettled(
        [bus, other].map((writer, n) => writer.subjectLog(stream).append("t.log.race", { n }, last)),
      );
      expect(attempts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const refused = attempts.find((attempt) => attempt.status === "rejected");
      expect(refused?.reason).toBeInstanceOf(LogConflict);
      expect(await bus.subjectLog(stream).read("t.log.race")).toHaveLength(2);
    });
  });
});

describe("the NATS bus when its server is killed", () => {
  it("connects again, keeps its subscriptions and tells that messages may be missing", async () => {
    const first = await startNats();
    const bus = await connect(first, "survivor");
    const recognized: number[] = [];
    let reconnects = 0;
    bus.onReconnect(() => reconnects++);
    bus.subscribe<{ n: number }>("t.survive", ({ n }) => recognized.push(n));
    process.kill(first.pid, "SIGKILL");
    await until(() => !bus.isConnected(), { withinMs: 5000, what: "the loss of the connection" });
    const second = await startNats({ port: first.port });
    try {
      await until(() => reconnects === 1, { withinMs: 5000, what: "the new connection" });
      expect(bus.isConnected()).toBe(true);
      bus.publish("t.survive", { n: 1 });
      await until(() => recognized.length === 1, { withinMs: 2000, what: "a message on the old subscription" });
    } finally {
      await bus.close();
      await second.stop();
      await first.stop();
    }
  });
});
