import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, expect, it } from "vitest";
import type { Bus, DurableSubscription } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { startNats } from "#launcher/servers";
import { until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const directory = temporaryDirectory("lost-end");
afterAll(directory.remove);

const stream = { name: "lost-end", subjects: ["t.lost-end"], maxAgeMs: 60_000, maxBytes: 1024 * 1024 };
const WITHIN_MS = 10_000;

it("a stream whose end was cut off is said to be, and what is stored from then on is dealt with", async () => {
  const complaints: { lostMessages?: number; msg: string }[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => complaints.push(JSON.parse(line) as never) });
  /** One life of the server and of its consumer. */
  const live = async (
    work: (life: { bus: Bus; received: number[]; consumed: DurableSubscription }) => Promise<void>,
  ) => {
    const server = await startNats({ directory: directory.path, logFile: join(directory.path, "server.log") });
    const bus = await connectNats({ url: server.url, name: "one", log });
    const received: number[] = [];
    const consumed = bus.consume<{ n: number }>({ stream, consumer: "c", batch: 4, lingerMs: 0 }, async (messages) => {
      received.push(...messages.map(({ n }) => n));
    });
    await consumed.ready;
    await work({ bus, received, consumed });
    await consumed.stop();
    await bus.close();
    await server.stop();
  };
  const publish = async ({ bus, consumed }: { bus: Bus; consumed: DurableSubscription }, numbers: number[]) => {
    for (const n of numbers) bus.publish("t.lost-end", { n });
    await bus.flush();
    await consumed.caughtUp(WITHIN_MS);
  };

  await live(async (life) => {
    await publish(life, [1, 2, 3, 4, 5, 6, 7, 8]);
    await until(() => life.received.length === 8, { withinMs: WITHIN_MS, what: "eight messages" });
  });
  const blocks = readdirSync(join(directory.path, "jetstream"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".blk"))
    .map((name) => join(directory.path, "jetstream", name));
  expect(blocks).toHaveLength(1);
  for (const block of blocks) truncateSync(block, Math.floor(statSync(block).size / 2));

  await live(async (life) => {
    expect(complaints).toMatchObject([{ msg: expect.stringContaining("has lost the end of a stream") as string }]);
    expect(complaints[0]?.lostMessages).toBeGreaterThanOrEqual(4);
    // They get sequences that the consumer has had.
    await publish(life, [11, 12, 13]);
    await until(() => life.received.includes(13), { withinMs: WITHIN_MS, what: "the last new message" });
    expect(life.received.filter((n) => n > 10)).toEqual([11, 12, 13]);
  });
  await live(async (life) => {
    await publish(life, [14]);
    await until(() => life.received.length > 0, { withinMs: WITHIN_MS, what: "a message of the next life" });
    expect(life.received).toEqual([14]);
    expect(complaints).toHaveLength(1);
  });
});
