import { describe, expect, it } from "vitest";
import { type DispatchLimits, HANGING_AFTER_MS, InFlight } from "./under-way.js";

const limits: DispatchLimits = { total: 100, perTeam: 40, perEndpoint: 20, takeAtOnce: 8 };
const begin = (
  inFlight: InFlight,
  count: number,
  endpoint: string,
  teamId: string,
  atMs = 0,
): ((endMs: number) => void)[] =>
  Array.from({ length: count }, () => {
    const attempt = inFlight.begin({ endpoint, teamId }, atMs);
    return (endMs) => inFlight.end(attempt, endMs);
  });

describe("what is under way", () => {
  it("closes an endpoint that has its number, whichever teams they are of, and opens it again", () => {
    const inFlight = new InFlight(limits);
    const [end] = begin(inFlight, 15, "a", "one");
    begin(inFlight, 5, "a", "two");
    expect(inFlight.room(0)).toEqual({ deliveries: 8, busyEndpoints: ["a"], busyTeams: [] });
    end?.(0);
    expect(inFlight.room(0)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
    expect(inFlight.size).toBe(19);
  });

  it("leaves a team whose receivers hang a quarter of its places, for those that do not", () => {
    const inFlight = new InFlight(limits);
    const ends = [...begin(inFlight, 15, "hangs", "one"), ...begin(inFlight, 15, "hangs too", "one")];
    expect(inFlight.room(HANGING_AFTER_MS - 1)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
    begin(inFlight, 5, "answers", "one", HANGING_AFTER_MS);
    begin(inFlight, 5, "another team's", "two");
    expect(inFlight.room(HANGING_AFTER_MS)).toEqual({
      deliveries: 8,
      busyEndpoints: ["hangs", "hangs too"],
      busyTeams: [],
    });
    ends.pop()?.(HANGING_AFTER_MS);
    expect(inFlight.room(HANGING_AFTER_MS)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
  });

  it("knows a receiver that hung while nothing is under way to it, until it answers or a minute has passed", () => {
    const inFlight = new InFlight(limits);
    for (const end of begin(inFlight, 15, "hangs", "one")) end(10_000);
    begin(inFlight, 15, "hangs too", "one", 10_000);
    const more = begin(inFlight, 15, "hangs as well", "one", 10_000);
    expect(inFlight.room(11_000).busyEndpoints.toSorted()).toEqual(["hangs", "hangs as well", "hangs too"]);
    for (const end of more.slice(0, 5)) end(20_000);
    expect(inFlight.room(20_000).busyEndpoints).toEqual([]);
    const [again] = begin(inFlight, 1, "hangs", "one", 20_000);
    again?.(20_500);
    begin(inFlight, 5, "hangs too", "one", 20_500);
    expect(inFlight.room(20_500).busyEndpoints.toSorted()).toEqual(["hangs as well", "hangs too"]);
    expect(inFlight.room(80_000).busyEndpoints).toEqual(["hangs too"]);
  });

  it("closes whatever hangs, of every team, when attempts that hang fill three quarters of all", () => {
    const inFlight = new InFlight(limits);
    for (let team = 0; team < 5; team++) begin(inFlight, 15, `hangs ${team}`, `team ${team}`);
    begin(inFlight, 3, "answers", "team 0", HANGING_AFTER_MS);
    const busyEndpoints = Array.from({ length: 5 }, (_, team) => `hangs ${team}`);
    expect(inFlight.room(HANGING_AFTER_MS)).toEqual({ deliveries: 8, busyEndpoints, busyTeams: [] });
  });

  it("gives nobody more than there is", () => {
    const inFlight = new InFlight(limits);
    for (let endpoint = 0; endpoint < 5; endpoint++) begin(inFlight, 8, `${endpoint}`, "one");
    expect(inFlight.room(0)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: ["one"] });
    for (let team = 0; team < 11; team++) begin(inFlight, 5, `of ${team}`, `${team}`);
    expect(inFlight.room(0).deliveries).toBe(5);
    begin(inFlight, 6, "last", "last");
    expect(inFlight.room(0).deliveries).toBe(0);
  });

  it("forgets what has ended, hanging or not", () => {
    const inFlight = new InFlight({ ...limits, perEndpoint: 1 });
    const ends = [...begin(inFlight, 2, "a", "one"), ...begin(inFlight, 2, "b", "two", HANGING_AFTER_MS)];
    expect(inFlight.room(HANGING_AFTER_MS).busyEndpoints).toEqual(["a", "b"]);
    for (const end of ends) end(HANGING_AFTER_MS);
    expect(inFlight.room(HANGING_AFTER_MS)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
    expect(inFlight.size).toBe(0);
  });
});
