import { describe, expect, it } from "vitest";
import type { StreamRoom } from "#protocol/bus/membership";
import { type KnownLoad, type RoomFacts, retryAfterMs, roomiest, StreamCount, streamsWithin } from "./stream-room.js";

const room: StreamRoom = { streams: 100, atOnce: 2, firstAudioMs: 100, addedMs: 20, mostWaitMs: 3000 };

function count(...teams: string[]): StreamCount {
  const counted = new StreamCount();
  for (const team of teams) counted.add(team, 1);
  return counted;
}

const reported = (told: StreamRoom | undefined, since = count()): KnownLoad => ({
  load: {
    ...{ model: "voice", slots: 2, freeSlots: 2, queuedChunks: 0, predictedWaitMs: 0 },
    ...(told === undefined ? {} : { room: told }),
  },
  since,
});

const facts = (changes: Partial<RoomFacts>): RoomFacts => ({
  ...{ teamId: "a", mostWaitMs: 500, known: [reported(room)], waiting: count() },
  ...changes,
});

/** How many streams of a burst of a team are let through. */
function letThrough(known: KnownLoad[], teamId = "a", asked = 200): number {
  let taken = 0;
  for (let stream = 0; stream < asked; stream++) {
    if (retryAfterMs(facts({ known, teamId })) !== null) continue;
    taken++;
    roomiest(known, 500)?.since.add(teamId, 1);
  }
  return taken;
}

describe("the room that a scheduler tells of", () => {
  it("is for those that begin at once, and as many after them as begin in time", () => {
    expect(streamsWithin(room, 500)).toBe(2 + 1 + 20);
    expect(streamsWithin(room, 99)).toBe(2);
    expect(streamsWithin(room, 100)).toBe(3);
    expect(streamsWithin({ ...room, streams: 1000 }, Number.POSITIVE_INFINITY)).toBe(2 + 1 + 145);
    expect(streamsWithin(room, 3000)).toBe(100);
    expect(streamsWithin({ ...room, streams: 0 }, 3000)).toBe(0);
  });
});

describe("a burst at an edge", () => {
  it("is let through as far as there is room, and told when to come back", () => {
    const known = [reported(room)];
    expect(letThrough(known)).toBe(23);
    expect(retryAfterMs(facts({ known }))).toBe(250);
    const full = [reported({ ...room, atOnce: 0, firstAudioMs: 1400 }, count("a"))];
    expect(retryAfterMs(facts({ known: full }))).toBe(920);
  });

  it("has the room of all schedulers, each until it tells of it anew", () => {
    const known = [reported(room), reported({ ...room, streams: 5 })];
    expect(letThrough(known)).toBe(28);
    known[1] = reported({ ...room, streams: 3 });
    expect(letThrough(known)).toBe(3);
  });

  it("takes its room while it waits for its turn", () => {
    const waiting = count(...Array.from({ length: 23 }, () => "a"));
    expect(retryAfterMs(facts({ waiting }))).not.toBeNull();
    waiting.add("a", -1);
    expect(retryAfterMs(facts({ waiting }))).toBeNull();
  });
});

describe("who is in doubt", () => {
  it("is let through where nothing is known", () => {
    expect(retryAfterMs(facts({ known: [] }))).toBeNull();
    expect(retryAfterMs(facts({ known: [reported({ ...room, streams: 0 }), reported(undefined)] }))).toBeNull();
  });

  it("is let through as the first of its team since a report, whatever that says", () => {
    const known = [reported({ ...room, streams: 0, atOnce: 0 })];
    expect(letThrough(known)).toBe(1);
    expect(letThrough(known, "b")).toBe(1);
    known[0] = reported({ ...room, streams: 0, atOnce: 0 });
    expect(letThrough(known)).toBe(1);
  });

  it("is let through up to an equal share of the room, though another team has taken it all", () => {
    const known = [reported({ ...room, streams: 20 })];
    expect(letThrough(known, "flood")).toBe(20);
    expect(letThrough(known, "quiet")).toBe(10);
    expect(letThrough(known, "third")).toBe(6);
    expect(letThrough(known, "flood")).toBe(0);
  });
});
