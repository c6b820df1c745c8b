import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EndpointEvent, type EndpointOptions, followSpeech, silentEndpoint } from "./endpoint.js";

const runs = (...parts: [steps: number, answer: number][]): Uint8Array =>
  Uint8Array.from(parts.flatMap(([steps, answer]) => new Array<number>(steps).fill(answer)));

const track = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 0, max: 255 })), { maxLength: 12 })
  .map((parts) => runs(...parts));
const options = fc.record<Partial<EndpointOptions>>({
  minSpeechMs: fc.integer({ min: 0, max: 300 }),
  endSilenceMs: fc.integer({ min: 10, max: 1000 }),
  startThreshold: fc.integer({ min: 1, max: 255 }),
  stayThreshold: fc.integer({ min: 1, max: 255 }),
});

function follow(speech: Uint8Array, step: number, chosen: Partial<EndpointOptions> = {}): EndpointEvent[] {
  const all: EndpointEvent[] = [];
  let state = silentEndpoint;
  for (let at = 0; at < speech.length; at += step) {
    const { state: next, events } = followSpeech(state, speech.subarray(at, at + step), chosen);
    all.push(...events);
    state = next;
  }
  return all;
}

describe("where turns begin and end", () => {
  it("tells a turn: from its first step, to its last, once it is long enough and silent for long enough", () => {
    expect(follow(runs([50, 5], [100, 240], [100, 5]), 1)).toEqual([
      { kind: "started", atMs: 500, knownAtMs: 580 },
      { kind: "ended", atMs: 1500, knownAtMs: 2200 },
    ]);
  });

  it("takes neither a click for speech nor a breath for the end", () => {
    expect(follow(runs([50, 5], [5, 250], [100, 5]), 1)).toEqual([]);
    expect(follow(runs([20, 250], [60, 5], [20, 250], [90, 5]), 1)).toMatchObject([
      { kind: "started" },
      { kind: "ended", atMs: 1000 },
    ]);
  });

  it("goes on through doubt, but does not start by it", () => {
    expect(follow(runs([200, 120]), 1)).toEqual([]);
    expect(follow(runs([20, 250], [200, 120], [100, 0]), 1)).toMatchObject([
      { atMs: 0 },
      { kind: "ended", atMs: 2200 },
    ]);
  });

  it("gives the same events however the answers are cut into calls: in turn, in order, never from the future", () => {
    fc.assert(
      fc.property(track, options, fc.integer({ min: 1, max: 300 }), (speech, chosen, step) => {
        const events = follow(speech, 1, chosen);
        expect(follow(speech, step, chosen)).toEqual(events);
        events.forEach((event, i) => {
          expect(event.kind).toBe(i % 2 === 0 ? "started" : "ended");
          expect(event.atMs).toBeLessThanOrEqual(event.knownAtMs);
          expect(event.atMs).toBeGreaterThanOrEqual(events[i - 1]?.atMs ?? 0);
        });
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});
