import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { Cutter } from "#speech/chunking/cutter";
import { encodeMsgpack } from "#protocol/msgpack";
import { SpeechBench, testPrincipal } from "../../speech/testing/speech-bench.js";
import { Caller, flush, audioOf, start, stop, text, texts } from "./testing/live-caller.js";

describe("a live session", () => {
  it("speaks text that comes word by word while it comes, then finishes and closes", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start);
    for (const word of "The first sentence is here. The second one follows it, as it".split(" ")) {
      caller.send(text(`${word} `));
      await caller.bench.pass(40);
    }
    expect(caller.audio.length).toBeGreaterThan(0);
    caller.send(stop);
    await caller.bench.pass(5000);
    expect(caller.audio.equals(audioOf(caller.bench))).toBe(true);
    expect(caller.last).toEqual({ event: "finish", reason: "stop" });
    expect(caller.connection.closedWith?.code).toBe(1000);
    expect(caller.bench.usage).toMatchObject([{ route: "/v1/tts/live", outcome: "completed" }]);
    expect(caller.bench.encoders.openCount).toBe(0);
  });

  it("sends frames of at least 2 KiB but for the last of a flush", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("Hello there, my friend. How are you"), flush);
    await caller.bench.pass(3000);
    const sizes = caller.events.map((event) => event.audio?.byteLength ?? 0);
    expect(sizes.slice(0, -1).every((size) => size >= 1026)).toBe(true);
    expect(caller.audio.equals(audioOf(caller.bench))).toBe(true);
    expect(caller.bench.encoders.flushes).toBe(1);
  });

  it("stays open after a flush and flushes only what is new", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("Hello"), flush, flush);
    await caller.bench.pass(2000);
    const received = caller.audio.length;
    expect(received).toBeGreaterThan(0);
    await caller.bench.pass(100_000);
    expect(caller.connection.closedWith).toBeNull();
    caller.send(text("World"), flush);
    await caller.bench.pass(2000);
    expect(caller.audio.length).toBeGreaterThan(received);
    expect(caller.bench.encoders.flushes).toBe(2);
    caller.send(stop);
    await caller.bench.pass(100);
    expect(caller.last).toEqual({ event: "finish", reason: "stop" });
  });

  it("takes the text of start as the first text", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send({ event: "start", request: { text: "Hello ", format: "pcm" } }, text("world."), stop, text("ignored"));
    await caller.bench.pass(2000);
    expect(caller.bench.cluster.submits.map(({ submit }) => submit.chunk.text)).toEqual(["Hello world."]);
    expect(caller.last).toEqual({ event: "finish", reason: "stop" });
  });

  it("speaks a finished sentence when text stops coming", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("That is all."));
    await caller.bench.pass(200);
    expect(caller.bench.cluster.submits).toHaveLength(0);
    await caller.bench.pass(200);
    expect(caller.bench.cluster.submits).toHaveLength(1);
  });

  it("says when words sound, before their audio, to clients that ask for it", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send({ ...start, timestamps: true }, text("The first sentence is here. The second one follows it."), stop);
    await caller.bench.pass(5000);
    expect(caller.audio.equals(audioOf(caller.bench))).toBe(true);
    const [first, second] = caller.events;
    expect([first?.event, second?.event]).toEqual(["timestamps", "audio"]);
    const last = new Map(
      caller.events.flatMap((event) => (event.event === "timestamps" ? [[event.chunk_seq, event] as const] : [])),
    );
    const chunks = caller.bench.cluster.submits.map(({ submit }) => submit.chunk);
    expect([...last.keys()]).toEqual(chunks.map(({ chunkIndex }) => chunkIndex));
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks)
      expect(last.get(chunk.chunkIndex)).toMatchObject({
        content: chunk.text,
        alignment: { segments: expect.any(Array) },
      });
  });

  it("says nothing of words to others, also where another start asked for them", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send({ ...start, timestamps: true }, text("The first sentence is here."), flush, stop);
    await caller.bench.pass(3000);
    const before = caller.events.length;
    caller.send(start, text("The second one follows it."), stop);
    await caller.bench.pass(3000);
    const names = new Set(caller.events.slice(before).map(({ event }) => event));
    expect([...names].sort()).toEqual(["audio", "finish"]);
  });

  it("takes the model from the query where there is no header for it", async () => {
    const bench = new SpeechBench();
    const caller = await new Caller(bench).connect({}, "model=s1");
    caller.send(start, text("(happy) [softly] Hello."), stop);
    await bench.pass(3000);
    expect(bench.usage).toMatchObject([{ model: "s1" }]);
    await expect(new Caller(bench).connect({}, "model=nonsense")).rejects.toMatchObject({ code: "unknown_model" });
    await expect(new Caller(bench).connect({ model: "s1" }, "model=nonsense")).resolves.toBeDefined();
  });

  it("asks no scheduler for a moment after one had no room, but for who waits longer", async () => {
    const bench = new SpeechBench();
    bench.faultOf = () => ({ kind: "refused" });
    const callers = await Promise.all([0, 1, 2].map(() => new Caller(bench).connect()));
    const [first, early, late] = callers as [Caller, Caller, Caller];
    early.send(start);
    await bench.pass(20);
    first.send(start, text("Hello there."), stop);
    await bench.pass(40);
    early.send(text("Hello there."), stop);
    late.send(start, text("Hello there."), stop);
    await bench.pass(20);
    expect(callers.map((caller) => caller.connection.closedWith?.code)).toEqual([1013, 1013, 1013]);
    expect(callers.map((caller) => caller.last?.reason)).toEqual(["error", "error", "error"]);
    expect(bench.cluster.submits).toHaveLength(1);
    bench.faultOf = () => null;
    const patient = await new Caller(bench).connect();
    patient.send({ event: "start", request: { text: "", format: "pcm", latency: "normal" } }, text("Hello."), stop);
    await bench.pass(2000);
    expect(patient.last).toEqual({ event: "finish", reason: "stop" });
    const later = await new Caller(bench).connect();
    later.send(start, text("Hello there."), stop);
    await bench.pass(2000);
    expect(later.last).toEqual({ event: "finish", reason: "stop" });
    expect(bench.encoders.openCount).toBe(0);
  });

  it("finishes at once when there is nothing to speak", async () => {
    for (const events of [[stop], [start, stop], [start, flush, stop], [start, text("..."), stop]]) {
      const caller = await new Caller(new SpeechBench({ PARLEY_LIVE_REUSE_SECONDS: "0" })).connect();
      caller.send(...events);
      await caller.bench.pass(100);
      expect(caller.events).toEqual([{ event: "finish", reason: "stop" }]);
      expect(caller.connection.closedWith?.code).toBe(1000);
    }
  });
});

it("a live session ends with its error when the key is revoked, while it speaks and while it waits", async () => {
  for (const events of [[start, text("The first sentence is long enough to be spoken for a while. ")], []]) {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(...events);
    await caller.bench.pass(100);
    caller.bench.keys.revoke();
    expect(caller.last).toEqual({ event: "finish", reason: "error", message: "Invalid token" });
    expect(caller.connection.closedWith?.code).toBe(1008);
    expect(caller.bench.context.speech.activeStreams).toBe(0);
  }
});

describe("what a live client gets wrong", () => {
  const wrong: [what: string, send: (caller: Caller) => void, message: RegExp, code: number][] = [
    ["text before start", (caller) => caller.send(text("Hi")), /"text" came before "start"/, 1011],
    ["a second start", (caller) => caller.send(start, start), /"start" came twice/, 1011],
    ["an unknown event", (caller) => caller.send({ event: "dance" }), /Validation failed/, 1011],
    ["no map at all", (caller) => caller.raw(encodeMsgpack([1, 2])), /Validation failed/, 1011],
    ["text that is no string", (caller) => caller.send(start, { event: "text", text: 5 }), /text/, 1011],
    [
      "truncated MessagePack",
      (caller) => caller.raw(encodeMsgpack(start).subarray(0, 9)),
      /Malformed MessagePack/,
      1011,
    ],
    ["an empty frame", (caller) => caller.raw(new Uint8Array()), /Malformed MessagePack/, 1011],
    ["a text frame", (caller) => caller.raw(Buffer.from("{}"), false), /binary/, 1011],
    [
      "a bad field of start",
      (caller) => caller.send({ event: "start", request: { format: "flac" } }),
      /request\.format/,
      1011,
    ],
    [
      "too much text at once",
      (caller) => caller.send(start, ...texts("a".repeat(50_000), 21)),
      /More than 1048576 bytes/,
      1009,
    ],
    [
      "too much text before start is done",
      (caller) => caller.send(start, ...texts("a ".repeat(25_000), 21)),
      /More than/,
      1009,
    ],
  ];

  it.each(wrong)("%s ends the session with its error", async (_, send, message, code) => {
    const caller = await new Caller(new SpeechBench()).connect();
    send(caller);
    await caller.bench.pass(300);
    const finishes = caller.events.filter((event) => event.event === "finish");
    expect(finishes).toHaveLength(1);
    expect(finishes[0]?.reason).toBe("error");
    expect(finishes[0]?.message).toMatch(message);
    expect(caller.connection.closedWith?.code).toBe(code);
    expect(caller.bench.context.speech.activeStreams).toBe(0);
    caller.send(start, text("Hi."), stop);
    await caller.bench.pass(300);
    expect(caller.last).toEqual(finishes[0]);
  });

  it("is refused over HTTP when the head shows it", async () => {
    const bench = new SpeechBench({ PARLEY_STREAMS_PER_TEAM: "1" });
    await expect(new Caller(bench).connect({ model: "nonsense" })).rejects.toMatchObject({ code: "unknown_model" });
    bench.principal = { ...testPrincipal, hasCredit: false };
    await expect(new Caller(bench).connect()).rejects.toMatchObject({ code: "out_of_credit" });
    bench.principal = testPrincipal;
    const first = await new Caller(bench).connect();
    await expect(new Caller(bench).connect()).rejects.toMatchObject({ code: "too_many_requests" });
    first.leave();
    await expect(new Caller(bench).connect()).resolves.toBeDefined();
  });
});

describe("a live session's trouble", () => {
  it("bounds the text that waits for a slow reader", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start);
    caller.connection.behind = true;
    for (let round = 0; round < 40 && caller.connection.closedWith === null; round++) {
      caller.send(text("Some words of a sentence. ".repeat(2000)));
      await caller.bench.pass(100);
    }
    expect(caller.connection.closedWith?.code).toBe(1009);
    expect(caller.bench.cluster.submits.length).toBeLessThan(12);
  });

  it("ends with the error of a stream that fails", async () => {
    const bench = new SpeechBench();
    bench.faultOf = (chunkIndex) => (chunkIndex === 1 ? { kind: "broken" } : null);
    const caller = await new Caller(bench).connect();
    caller.send(start, text("First sentence. Second sentence of it."), stop);
    await bench.pass(3000);
    expect(caller.last).toEqual({ event: "finish", reason: "error", message: "The speech engine failed" });
    expect(caller.connection.closedWith?.code).toBe(1011);
    expect(bench.usage).toMatchObject([{ outcome: "failed" }]);
  });

  it("reports what it gave, however it ends: the same as that of the end, for the same audio", async () => {
    const used = async (
      end: (caller: Caller) => void,
    ): Promise<{ characters: number; audioMs: number; received: number; outcome: string }> => {
      const caller = await new Caller(new SpeechBench()).connect();
      caller.send(start, text("The first sentence is here. "), flush);
      await caller.bench.pass(3000);
      end(caller);
      await caller.bench.pass(100);
      const [{ characters = 0, audioMs = 0, outcome = "" } = {}] = caller.bench.usage;
      expect(caller.bench.usage).toHaveLength(1);
      return { characters, audioMs, outcome, received: caller.audio.length };
    };
    const { outcome, ...stopped } = await used((caller) => caller.send(stop));
    expect([stopped.characters, outcome]).toEqual([27, "completed"]);
    expect(stopped.audioMs).toBeGreaterThan(500);
    const bad = {
      malformed: (caller: Caller) => caller.raw(new Uint8Array([0xc1])),
      text: (caller: Caller) => caller.raw(new Uint8Array([1]), false),
    };
    for (const end of Object.values(bad)) expect(await used(end)).toEqual({ ...stopped, outcome: "failed" });
    expect(await used((caller) => caller.leave())).toEqual({ ...stopped, outcome: "cancelled" });
  });

  it("chunks a share of its text in a turn of the event loop, in however many frames it came", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start);
    await caller.bench.pass(100);
    const step = vi.spyOn(Cutter.prototype, "step");
    caller.send(...texts("A word and another word of it. ".repeat(200), 20));
    await nextTurn();
    expect(step.mock.calls.length).toBeGreaterThan(0);
    expect(step.mock.calls.length).toBeLessThan(40_000);
    step.mockRestore();
    await caller.bench.pass(1000);
    caller.leave();
  });

  it("reports nothing for a piece whose audio has not begun", async () => {
    const bench = new SpeechBench();
    bench.faultOf = (chunkIndex) => (chunkIndex === 1 ? { kind: "broken" } : null);
    const caller = await new Caller(bench).connect();
    caller.send(start, text("First sentence. "), flush);
    await bench.pass(3000);
    caller.send(text("Second sentence of it."), stop);
    await bench.pass(3000);
    expect(bench.usage).toMatchObject([{ outcome: "failed", characters: 15 }]);
  });

  it("ends all work when the client goes away", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("A sentence of speech. ".repeat(20)));
    await caller.bench.pass(100);
    caller.leave();
    const received = caller.connection.sent.length;
    await caller.bench.pass(3000);
    expect(caller.bench.cluster.cancels).toHaveLength(1);
    expect(caller.connection.sent.length).toBe(received);
    expect(caller.bench.encoders.openCount).toBe(0);
    expect(caller.bench.usage).toMatchObject([{ outcome: "cancelled" }]);
  });

  it("speaks what it has when the server stops", async () => {
    const caller = await new Caller(new SpeechBench()).connect();
    caller.send(start, text("Nearly done"));
    caller.drain();
    await caller.bench.pass(4000);
    expect(caller.audio.equals(audioOf(caller.bench))).toBe(true);
    expect(caller.last).toEqual({ event: "finish", reason: "stop" });
  });

  it("speaks what a client goes on to write when the server stops, until it pauses or half the time is over", async () => {
    const paused = await new Caller(new SpeechBench()).connect();
    paused.send(start, text("One sentence is here. "));
    paused.drain();
    for (const sentence of ["Another one follows it. ", "So does the last. "]) {
      await paused.bench.pass(1900);
      paused.send(text(sentence));
    }
    await paused.bench.pass(1900);
    expect(paused.last?.event).not.toBe("finish");
    await paused.bench.pass(2000);
    expect(paused.last).toEqual({ event: "finish", reason: "stop" });
    const spoken = paused.bench.cluster.submits.map(({ submit }) => submit.chunk.text.trim());
    expect(spoken.join(" ")).toBe("One sentence is here. Another one follows it. So does the last.");

    const endless = await new Caller(new SpeechBench()).connect();
    endless.send(start, text("It goes on. "));
    endless.drain();
    let sentMs = 0;
    while (endless.last?.event !== "finish" && sentMs < 20_000) {
      await endless.bench.pass(500);
      sentMs += 500;
      endless.send(text("And on. "));
    }
    expect(endless.last).toEqual({ event: "finish", reason: "stop" });
    expect(sentMs).toBeGreaterThanOrEqual(7500);
    expect(sentMs).toBeLessThan(10_000);
  });
});
