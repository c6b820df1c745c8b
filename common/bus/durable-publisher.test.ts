import { beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../clock.js";
import { DurablePublisher, type PublishOutcome } from "./durable-publisher.js";

let clock: VirtualClock;
let attempts: { text: string; settle: (outcome: PublishOutcome) => Promise<void> }[];
let dropped: number;
let publisher: DurablePublisher;
beforeEach(() => {
  clock = new VirtualClock();
  attempts = [];
  dropped = 0;
  publisher = new DurablePublisher({
    clock,
    maxBytes: 100,
    onDropped: (messages) => (dropped += messages),
    send: ({ data }) =>
      new Promise((resolve) => {
        const settle = async (outcome: PublishOutcome): Promise<void> => {
          resolve(outcome);
          await new Promise((later) => setImmediate(later));
        };
        attempts.push({ text: Buffer.from(data).toString(), settle });
      }),
  });
});
const publish = (text: string): void => publisher.publish("s", Buffer.from(text));
const texts = (): string[] => attempts.map(({ text }) => text);
const last = (outcome: PublishOutcome): Promise<void> => attempts.at(-1)?.settle(outcome) ?? Promise.resolve();

describe("a message for a stream", () => {
  it("is sent at once, beside others, and once", async () => {
    publish("a");
    publish("b");
    expect(texts()).toEqual(["a", "b"]);
    for (const attempt of attempts) await attempt.settle("stored");
    clock.advance(100_000);
    expect(texts()).toEqual(["a", "b"]);
  });

  it.each([
    "refused",
    "unheard",
  ] as const)("that is %s is sent again, later and later, until it is stored, and the others after it", async (outcome) => {
    publish("a");
    await last(outcome);
    publish("b");
    clock.advance(499);
    expect(texts()).toEqual(["a"]);
    clock.advance(1);
    expect(texts()).toEqual(["a", "a"]);
    await last(outcome);
    clock.advance(999);
    expect(attempts).toHaveLength(2);
    clock.advance(1);
    await last("stored");
    expect(texts()).toEqual(["a", "a", "a", "b"]);
  });

  it("is not sent twice where nobody ever stored one: it had listeners only", async () => {
    publish("a");
    await last("silent");
    clock.advance(100_000);
    expect(texts()).toEqual(["a"]);
  });

  it("is sent again when a stream that stored falls silent, at once when the server is back", async () => {
    publish("a");
    await last("stored");
    publish("b");
    await last("silent");
    publisher.retry();
    expect(texts()).toEqual(["a", "b", "b"]);
    await last("stored");
  });

  it("that finds no room among those that wait takes the place of the oldest", async () => {
    publish("a".repeat(40));
    await last("refused");
    publish("b".repeat(40));
    publish("c".repeat(40));
    expect(dropped).toBe(1);
    clock.advance(500);
    await last("stored");
    await last("stored");
    expect(texts().map((text) => text[0])).toEqual(["a", "b", "c"]);
  });

  it("is settled when it is stored, or has to wait", async () => {
    const order: string[] = [];
    publish("a");
    void publisher.settled().then(() => order.push("first"));
    await last("refused");
    expect(order).toEqual(["first"]);
    await publisher.settled();
    clock.advance(500);
    void publisher.settled().then(() => order.push("second"));
    expect(order).toEqual(["first"]);
    await last("stored");
    expect(order).toEqual(["first", "second"]);
  });
});
