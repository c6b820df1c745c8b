import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallerEvent } from "#protocol/bus/conversation";
import { joinEvents, type ReceivedEvent } from "./join-events.js";

/** A message, or a key where it is a digit. */
const received = (text: string, atMs: number): ReceivedEvent => ({
  event: /^\d$/.test(text)
    ? { type: "key", key: text }
    : { type: "client-event", event: { type: "user.message", text } },
  atMs,
});
const textsOf = (events: readonly CallerEvent[]): string[] =>
  events.map((event) => {
    if (event.type === "key") return event.key;
    return event.type === "client-event" && event.event.type === "user.message" ? event.event.text : "";
  });

describe("what two runtimes received of one caller", () => {
  it.each([
    ["nobody received anything", [], [], []],
    ["the earlier one received all", [received("a", 0), received("b", 10)], [], ["a", "b"]],
    ["the next one received all", [], [received("a", 0), received("b", 10)], ["a", "b"]],
    [
      "both were there for a part of it",
      [received("a", 0), received("b", 100), received("c", 200)],
      [received("b", 130), received("c", 210), received("d", 300)],
      ["a", "b", "c", "d"],
    ],
    ["one of them was busy", [received("a", 0), received("b", 100)], [received("b", 1540)], ["a", "b"]],
    ["one key was pressed before and after", [received("1", 800)], [received("1", 980)], ["1", "1"]],
    [
      "one key was pressed again and again",
      [received("1", 0), received("1", 200), received("1", 400)],
      [received("1", 430), received("1", 600)],
      ["1", "1", "1", "1"],
    ],
  ])("is each event once and in order where %s", (_, earlier, own, texts) => {
    expect(textsOf(joinEvents(earlier, own, 1000).events)).toEqual(texts);
  });

  it("is each event once and in order, whenever the next one comes and the earlier one is asked", () => {
    const scenario = fc.record({
      events: fc.array(fc.record({ text: fc.constantFrom("1", "2"), pauseMs: fc.integer({ min: 120, max: 900 }) }), {
        maxLength: 12,
      }),
      comesMs: fc.nat(5000),
      togetherMs: fc.integer({ min: 300, max: 1500 }),
      delays: fc.array(fc.nat(50), { minLength: 24, maxLength: 24 }),
    });
    fc.assert(
      fc.property(scenario, ({ events, comesMs, togetherMs, delays }) => {
        const askedMs = comesMs + togetherMs;
        const earlier: ReceivedEvent[] = [];
        const own: ReceivedEvent[] = [];
        let sentMs = 0;
        for (const [index, { text, pauseMs }] of events.entries()) {
          sentMs += pauseMs;
          const earlierMs = sentMs + (delays[index] ?? 0);
          if (earlierMs <= askedMs) earlier.push(received(text, earlierMs));
          if (sentMs >= comesMs) own.push(received(text, sentMs + (delays[index + 12] ?? 0)));
        }
        const texts = events.map(({ text }) => text);
        expect(textsOf(joinEvents(earlier, own, askedMs).events)).toEqual(texts);
      }),
      { numRuns: 2000 },
    );
  });

  it("is each message once and in order where the next one is busy for seconds, and receives some of them later", () => {
    const scenario = fc.record({
      pauses: fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 12 }),
      comesMs: fc.nat(3000),
      togetherMs: fc.integer({ min: 300, max: 1500 }),
      busyMs: fc.nat(2500),
    });
    fc.assert(
      fc.property(scenario, ({ pauses, comesMs, togetherMs, busyMs }) => {
        const askedMs = comesMs + togetherMs;
        let sentMs = 0;
        const all = pauses.map((pauseMs, index) => {
          sentMs += pauseMs;
          return received(`message ${index}`, sentMs);
        });
        const earlier = all.filter(({ atMs }) => atMs <= askedMs);
        const own = all
          .filter(({ atMs }) => atMs >= comesMs)
          .map(({ event, atMs }) => ({ event, atMs: Math.max(atMs, comesMs + busyMs) }));
        const here = own.filter(({ atMs }) => atMs <= askedMs + 200);
        const { events, echoes } = joinEvents(earlier, here, askedMs);
        const late = own.slice(here.length).map(({ event }) => event);
        const passedOn = [...events, ...late.filter((event) => !echoes.some((echo) => echo === event))];
        // Where none has come yet, what came to the other one alone cannot be told from what is on its way.
        if (here.length > 0) expect(textsOf(passedOn)).toEqual(all.map((_, index) => `message ${index}`));
        else expect(textsOf(events)).toEqual(earlier.map((_, index) => `message ${index}`));
      }),
      { numRuns: 2000 },
    );
  });
});
