import { describe, expect, it } from "vitest";
import { SpeechBench, testPrincipal } from "../../speech/testing/speech-bench.js";
import { Caller, flush, audioOf, start, stop, text, texts } from "./testing/live-caller.js";

const SECOND_MS = 1000;

/** A caller that has spoken one text and was told `finish`. */
async function finished(options: { bench?: SpeechBench; events?: object[] } = {}): Promise<Caller> {
  const caller = await new Caller(options.bench ?? new SpeechBench()).connect();
  caller.send(start, ...(options.events ?? [text("Hello there. "), flush]), stop);
  await untilFinished(caller, 1);
  return caller;
}

/** Lets time pass in small steps until so many starts were finished. */
async function untilFinished(caller: Caller, count: number): Promise<void> {
  for (let step = 0; step < 500 && finishesOf(caller) < count; step++) await caller.bench.pass(20);
  expect(finishesOf(caller)).toBe(count);
}

const finishesOf = (caller: Caller): number => caller.events.filter(({ event }) => event === "finish").length;
/** `audio` and `finish` in their order, equal neighbours once. */
const orderOf = (caller: Caller): string[] =>
  caller.events.map(({ event }) => event).filter((event, index, all) => event !== all[index - 1]);

describe("another start on a live socket", () => {
  it("speaks again for a client that flushes all it writes, up to a minute after each finish", async () => {
    const caller = await finished();
    await caller.bench.pass(59 * SECOND_MS);
    caller.send(start, text("Another turn. "), flush, stop);
    await untilFinished(caller, 2);
    expect(caller.audio.equals(audioOf(caller.bench))).toBe(true);
    expect(caller.events.filter(({ event }) => event === "finish")).toEqual([
      { event: "finish", reason: "stop" },
      { event: "finish", reason: "stop" },
    ]);
    await caller.bench.pass(59 * SECOND_MS);
    expect(caller.connection.closedWith).toBeNull();
    await caller.bench.pass(1.5 * SECOND_MS);
    expect(caller.connection.closedWith).toEqual({ code: 1000, reason: "" });
    const [first, second] = caller.bench.usage;
    expect([first, second]).toMatchObject([
      { characters: 12, outcome: "completed" },
      { characters: 13, outcome: "completed" },
    ]);
    expect(first?.usageId).not.toBe(second?.usageId);
    // Counted from the second start on, not from the upgrade.
    expect(second?.totalMs).toBeLessThan(10 * SECOND_MS);
    expect(caller.bench.encoders.openCount).toBe(0);
  });

  it.each([
    ["wrote without a flush", [text("Hello there.")]],
    ["wrote more after its flush", [text("Hello there. "), flush, text("And more.")]],
    ["wrote nothing", [flush]],
  ])("is waited for a second where the client %s: libraries that wait for the close end then", async (_, events) => {
    const caller = await finished({ events });
    await caller.bench.pass(0.9 * SECOND_MS);
    expect(caller.connection.closedWith).toBeNull();
    await caller.bench.pass(0.2 * SECOND_MS);
    expect(caller.connection.closedWith).toEqual({ code: 1000, reason: "" });
  });

  it("reads nothing after each stop but a start, whether or not its turn has come yet", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    const rubbish = Uint8Array.of(0xc1);
    caller.send(start, text("One turn. "), flush, stop);
    caller.raw(rubbish);
    caller.send(text("canary"), start, text("Another turn. "), flush, stop);
    caller.raw(rubbish);
    await untilFinished(caller, 2);
    expect(caller.events.filter(({ event }) => event === "finish")).toEqual([
      { event: "finish", reason: "stop" },
      { event: "finish", reason: "stop" },
    ]);
    expect(caller.bench.usage.map(({ characters }) => characters)).toEqual([9, 13]);
  });

  it("is waited for a minute once a client has started again, flush or no flush", async () => {
    const caller = await finished({ events: [text("Hello there.")] });
    caller.send(start, text("Another turn."), stop);
    await untilFinished(caller, 2);
    await caller.bench.pass(59 * SECOND_MS);
    expect(caller.connection.closedWith).toBeNull();
    caller.send(start, text("A third turn."), stop);
    await untilFinished(caller, 3);
    expect(caller.audio.equals(audioOf(caller.bench))).toBe(true);
  });

  it.each([
    ["0", 0],
    ["5", 5 * SECOND_MS],
  ])("is waited for as long as the operator says: %s s", async (seconds, waitMs) => {
    const caller = await finished({ bench: new SpeechBench({ PARLEY_LIVE_REUSE_SECONDS: seconds }) });
    expect(caller.connection.closedWith === null).toBe(waitMs > 0);
    await caller.bench.pass(waitMs);
    expect(caller.connection.closedWith?.code).toBe(1000);
  });

  it("may come before finish, and is carried out after it; what else comes then is ignored", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("First turn, of some words."), stop);
    await caller.bench.pass(40);
    caller.send(text("lost"), flush, stop);
    caller.raw(Buffer.from("no frame of ours"), false);
    expect(finishesOf(caller)).toBe(0);
    caller.send(start, text("Second turn."), stop);
    await untilFinished(caller, 2);
    expect(orderOf(caller)).toEqual(["audio", "finish", "audio", "finish"]);
    expect(caller.bench.cluster.submits.map(({ submit }) => submit.chunk.text)).toEqual([
      "First turn, of some words.",
      "Second turn.",
    ]);
  });

  it("may come twice before finish, even while the first looks its voice up", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    const turns = ["First turn.", "Second turn.", "Third turn."];
    caller.send(...turns.flatMap((turn) => [start, text(turn), stop]));
    await untilFinished(caller, 3);
    expect(orderOf(caller)).toEqual(["audio", "finish", "audio", "finish", "audio", "finish"]);
    expect(caller.bench.cluster.submits.map(({ submit }) => submit.chunk.text)).toEqual(turns);
  });

  it("closes at once when the client says stop without ever having started", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(stop);
    await caller.bench.pass(20);
    expect([caller.last, caller.connection.closedWith?.code]).toEqual([{ event: "finish", reason: "stop" }, 1000]);
  });
});

describe("what a client gets wrong between finish and another start", () => {
  it.each([
    ["text", text("Hi.")],
    ["flush", flush],
  ])("%s is an error of protocol", async (name, event) => {
    const caller = await finished();
    caller.send(event);
    await caller.bench.pass(20);
    expect(caller.last).toEqual({ event: "finish", reason: "error", message: `"${name}" came before "start"` });
    expect(caller.connection.closedWith?.code).toBe(1011);
  });

  it("stop again is ignored", async () => {
    const caller = await finished();
    caller.send(stop, stop);
    await caller.bench.pass(SECOND_MS);
    expect([finishesOf(caller), caller.connection.closedWith]).toEqual([1, null]);
    caller.send(start, text("Another turn."), stop);
    await untilFinished(caller, 2);
  });

  it("starts that wait are few, and text that waits with them is bounded", async () => {
    const greedy: [object[], number, RegExp][] = [
      [[start, stop, start, stop, start], 1011, /"start" came twice/],
      [[start, ...texts("a ".repeat(25_000), 21)], 1009, /More than 1048576 bytes/],
      [[start, ...Array.from({ length: 70_000 }, () => flush)], 1009, /More than/],
    ];
    for (const [events, code, message] of greedy) {
      const caller = await new Caller(new SpeechBench()).connect();
      caller.send(start, text("The first turn is long enough to be spoken for a while."), stop);
      await caller.bench.pass(40);
      caller.send(...events);
      await caller.bench.pass(40);
      expect(caller.connection.closedWith?.code).toBe(code);
      expect(caller.last?.message).toMatch(message);
      expect(caller.bench.context.speech.activeStreams).toBe(0);
    }
  });
});

describe("a live socket between two starts", () => {
  it("holds no place of its team; the next start takes one, or is refused", async () => {
    const bench = new SpeechBench({ PARLEY_STREAMS_PER_TEAM: "1" });
    const caller = await finished({ bench });
    const other = await new Caller(bench).connect();
    caller.send(start, text("Another turn."), stop);
    await bench.pass(20);
    expect(caller.last).toEqual({ event: "finish", reason: "error", message: "Too many requests at once" });
    expect(caller.connection.closedWith?.code).toBe(1011);
    other.leave();
    const third = await finished({ bench });
    third.send(start);
    await bench.pass(20);
    await expect(new Caller(bench).connect()).rejects.toMatchObject({ code: "too_many_requests" });
    third.leave();
    await expect(new Caller(bench).connect()).resolves.toBeDefined();
  });

  it("is not spoken for when credit or key have ended since", async () => {
    const caller = await finished();
    caller.bench.principal = { ...testPrincipal, hasCredit: false };
    caller.send(start, text("Another turn."), stop);
    await caller.bench.pass(40);
    expect(caller.last).toEqual({ event: "finish", reason: "error", message: "Out of API credit" });
    expect(caller.bench.usage).toHaveLength(1);
  });

  it("is closed at once when the server stops; one that speaks is closed after its finish", async () => {
    const idle = await finished();
    idle.drain();
    expect(idle.connection.closedWith).toEqual({ code: 1001, reason: "The server is shutting down" });
    const speaking = await new Caller(new SpeechBench()).connect();
    speaking.send(start, text("Hello there. "), flush, stop);
    await speaking.bench.pass(40);
    speaking.send(start, text("Never spoken."), stop);
    speaking.drain();
    await untilFinished(speaking, 1);
    expect(speaking.connection.closedWith?.code).toBe(1000);
    await speaking.bench.pass(SECOND_MS);
    expect(speaking.bench.cluster.submits).toHaveLength(1);
  });

  it("forgets a start that waits when the client goes away", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("The first turn is spoken for a while."), stop);
    await caller.bench.pass(40);
    caller.send(start, text("Never spoken."), stop);
    caller.leave();
    await caller.bench.pass(SECOND_MS);
    expect([
      caller.bench.cluster.submits.length,
      caller.bench.context.speech.activeStreams,
      caller.bench.usage.length,
    ]).toEqual([1, 0, 1]);
  });
});
