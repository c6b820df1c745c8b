import { describe, expect, it } from "vitest";
import { type FoundFolder, judgeFolder, type WantedFolder } from "./judge.js";
import type { Stamp } from "./stamp.js";

const ours = "a".repeat(32);
const wanted: WantedFolder = {
  folder: "database",
  format: 2,
  clusterId: ours,
  isEarlier: (entries) => entries.includes("PG_VERSION"),
};
const stamp: Stamp = { folder: "database", format: 2, clusterId: ours };
const whole: FoundFolder = { entries: ["PG_VERSION", "base", "parley.json"], stamp, missing: [] };

const verdict = (change: Partial<FoundFolder>) => judgeFolder(wanted, { ...whole, ...change });

describe("a folder", () => {
  it.each([
    ["is made where there is none", { entries: null, stamp: null, missing: ["base"] }, "make"],
    ["is made where there is an empty one", { entries: [], stamp: null, missing: ["base"] }, "make"],
    ["is used when it is ours", {}, "use"],
    ["is used when an earlier format of ours", { stamp: { ...stamp, format: 1 } }, "use"],
    ["is adopted when it was made before there were stamps", { entries: ["PG_VERSION", "base"], stamp: null }, "adopt"],
  ] satisfies [string, Partial<FoundFolder>, string][])("%s", (_name, change, action) => {
    expect(verdict(change)).toEqual({ action });
  });

  it.each([
    [
      "of strangers' files",
      { entries: ["holiday.jpg"], stamp: null, missing: ["base"] },
      "is not empty, and what is in it (holiday.jpg) was not put there by Parley",
    ],
    [
      "of many strangers' files",
      { entries: ["a", "b", "c", "d", "e", "f"], stamp: null },
      "is not empty, and what is in it (a, b, c, d and 2 more) was not put there by Parley",
    ],
    ["that lost a part", { missing: ["PG_VERSION"] }, "is damaged: PG_VERSION is missing"],
    [
      "that lost parts before it was stamped",
      { stamp: null, missing: ["base", "pg_wal"] },
      "is damaged: base and pg_wal are missing",
    ],
    ["that lost all but its stamp", { entries: ["parley.json"], missing: ["base"] }, "is damaged: base is missing"],
    [
      "of a newer release",
      { stamp: { ...stamp, format: 3 } },
      "was written by a newer release of Parley (format 3; this one knows 2)",
    ],
    [
      "of another cluster",
      { stamp: { ...stamp, clusterId: "b".repeat(32) } },
      `belongs to another cluster (${"b".repeat(32)}; this data directory is of ${ours})`,
    ],
    [
      "of another kind",
      { stamp: { ...stamp, folder: "nats" } },
      'is a folder "nats" of Parley, not a folder "database"',
    ],
    ["with a torn stamp", { stamp: "unreadable" }, "has a parley.json that cannot be read"],
  ] satisfies [string, Partial<FoundFolder>, string][])("is refused when it is one %s", (_name, change, reason) => {
    expect(verdict(change)).toEqual({ action: "refuse", reason });
  });
});
