import { describe, expect, it } from "vitest";
import { emptyProfile, horizonsMs } from "./demand-profile.js";
import { TeamShares } from "./team-shares.js";

/** What keeps so many slots busy up to a time. */
const busyUntil = (slots: number, untilMs: number): Float64Array =>
  emptyProfile().map((_, index) => slots * Math.min(untilMs, horizonsMs[index] ?? 0));

describe("the shares of teams", () => {
  it("are nobody's business while only one asks", () => {
    const teams = new TeamShares();
    teams.asked("one", 0);
    teams.add("one", busyUntil(2, 16_000));
    expect(teams.standings("one", busyUntil(1, 16_000), 2)).toBeNull();
    teams.asked("other", 0);
    expect(teams.standings("one", busyUntil(1, 16_000), 2)).not.toBeNull();
  });

  it("are compared at each horizon: what is soon over counts soon", () => {
    const teams = new TeamShares();
    for (const teamId of ["flood", "quiet"]) teams.asked(teamId, 0);
    teams.add("flood", busyUntil(1, 4000));
    teams.add("flood", busyUntil(0.9, 4000));
    const standings = teams.standings("flood", busyUntil(0.1, 16_000), 2);
    expect(standings).toEqual(horizonsMs.map((ms) => (ms <= 6000 ? "above" : "within")));
    expect(new Set(teams.standings("quiet", busyUntil(0.5, 16_000), 2))).toEqual(new Set(["within"]));
  });

  it("are left to the others by a team that has not asked for half a minute", () => {
    const teams = new TeamShares();
    teams.asked("gone", 0);
    teams.asked("here", 20_000);
    teams.recount(31_000);
    expect(teams.standings("here", emptyProfile(), 2)).toBeNull();
  });
});
