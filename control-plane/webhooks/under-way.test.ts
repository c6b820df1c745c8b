import { describe, expect, it } from "vitest";
import { type DispatchLimits, HANGING_AFTER_MS, UnderWay } from "./under-way.js";

const limits: DispatchLimits = { total: 100, perTeam: 40, perEndpoint: 20, takeAtOnce: 8 };
const begin = (
  underWay: UnderWay,
  count: number,
  endpoint: string,
  teamId: string,
  atMs = 0,
): ((endMs: number) => void)[] =>
  Array.from({ length: count }, () => {
    const attempt = underWay.begin({ endpoint, teamId }, atMs);
    return (endMs) => underWay.end(attempt, endMs);
  });

describe("what is under way", () => {
  it("closes an endpoint that has its number, whichever teams they are of, and opens it again", () => {
    const underWay = new UnderWay(limits);
    const [end] = begin(underWay, 15, "a", "one");
    begin(underWay, 5, "a", "two");
    expect(underWay.room(0)).toEqual({ deliveries: 8, busyEndpoints: ["a"], busyTeams: [] });
    end?.(0);
    expect(underWay.room(0)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
    expect(underWay.size).toBe(19);
  });

  it("leaves a team whose receivers hang a quarter of its places, for those that do not", () => {
    const underWay = new UnderWay(limits);
    const ends = [...begin(underWay, 15, "hangs", "one"), ...begin(underWay, 15, "hangs too", "one")];
    expect(underWay.room(HANGING_AFTER_MS - 1)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
    begin(underWay, 5, "answers", "one", HANGING_AFTER_MS);
    begin(underWay, 5, "another team's", "two");
    expect(underWay.room(HANGING_AFTER_MS)).toEqual({
      deliveries: 8,
      busyEndpoints: ["hangs", "hangs too"],
      busyTeams: [],
    });
    ends.pop()?.(HANGING_AFTER_MS);
    expect(underWay.room(HANGING_AFTER_MS)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
  });

  it("knows a receiver that hung while nothing is under way to it, until it answers or a minute has passed", () => {
    const underWay = new UnderWay(limits);
    for (const end of begin(underWay, 15, "hangs", "one")) end(10_000);
    begin(underWay, 15, "hangs too", "one", 10_000);
    const more = begin(underWay, 15, "hangs as well", "one", 10_000);
    expect(underWay.room(11_000).busyEndpoints.toSorted()).toEqual(["hangs", "hangs as well", "hangs too"]);
    for (const end of more.slice(0, 5)) end(20_000);
    expect(underWay.room(20_000).busyEndpoints).toEqual([]);
    const [again] = begin(underWay, 1, "hangs", "one", 20_000);
    again?.(20_500);
    begin(underWay, 5, "hangs too", "one", 20_500);
    expect(underWay.room(20_500).busyEndpoints.toSorted()).toEqual(["hangs as well", "hangs too"]);
    expect(underWay.room(80_000).busyEndpoints).toEqual(["hangs too"]);
  });

  it("closes whatever hangs, of every team, when attempts that hang fill three quarters of all", () => {
    const underWay = new UnderWay(limits);
    for (let team = 0; team < 5; team++) begin(underWay, 15, `hangs ${team}`, `team ${team}`);
    begin(underWay, 3, "answers", "team 0", HANGING_AFTER_MS);
    const busyEndpoints = Array.from({ length: 5 }, (_, team) => `hangs ${team}`);
    expect(underWay.room(HANGING_AFTER_MS)).toEqual({ deliveries: 8, busyEndpoints, busyTeams: [] });
  });

  it("gives nobody more than there is", () => {
    const underWay = new UnderWay(limits);
    for (let endpoint = 0; endpoint < 5; endpoint++) begin(underWay, 8, `${endpoint}`, "one");
    expect(underWay.room(0)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: ["one"] });
    for (let team = 0; team < 11; team++) begin(underWay, 5, `of ${team}`, `${team}`);
    expect(underWay.room(0).deliveries).toBe(5);
    begin(underWay, 6, "last", "last");
    expect(underWay.room(0).deliveries).toBe(0);
  });

  it("forgets what has ended, hanging or not", () => {
    const underWay = new UnderWay({ ...limits, perEndpoint: 1 });
    const ends = [...begin(underWay, 2, "a", "one"), ...begin(underWay, 2, "b", "two", HANGING_AFTER_MS)];
    expect(underWay.room(HANGING_AFTER_MS).busyEndpoints).toEqual(["a", "b"]);
    for (const end of ends) end(HANGING_AFTER_MS);
    expect(underWay.room(HANGING_AFTER_MS)).toEqual({ deliveries: 8, busyEndpoints: [], busyTeams: [] });
    expect(underWay.size).toBe(0);
  });
});
