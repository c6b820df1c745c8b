import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallerEvent } from "#protocol/bus/conversation";
import { joinEvents, type ReceivedEvent } from "./join-events.js";

const typed = (text: string): CallerEvent => ({ type: "client-event", event: { type: "user.message", text } });
const received = (text: string, atMs: number): ReceivedEvent => ({ event: typed(text), atMs });
const textsOf = (events: readonly CallerEvent[]): string[] =>
  events.map((event) => (event.type === "client-event" && event.event.type === "user.message" ? event.event.text : ""));

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
    ["one of them was busy", [received("a", 0), received("b", 100)], [received("b", 540)], ["a", "b"]],
    ["the same was said before and after", [received("yes", 800)], [received("yes", 980)], ["yes", "yes"]],
    [
      "one key was pressed again and again",
      [received("1", 0), received("1", 200), received("1", 400)],
      [received("1", 430), received("1", 600)],
      ["1", "1", "1", "1"],
    ],
  ])("is each event once and in order where %s", (_, earlier, own, texts) => {
    expect(textsOf(joinEvents(earlier, own, 1000))).toEqual(texts);
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
        expect(textsOf(joinEvents(earlier, own, askedMs))).toEqual(texts);
      }),
      { numRuns: 2000 },
    );
  });
});
