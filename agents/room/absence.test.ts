import { expect, it } from "vitest";
import { Absence } from "./absence.js";

const lists = (...sids: string[]): { sid: string }[] => sids.map((sid) => ({ sid }));

it("takes who is missing in two lists in a row for gone", () => {
  const absence = new Absence();
  const seen = [lists("a", "b"), lists("b"), lists("b", "a"), lists(), lists("b"), lists("b")];
  expect(seen.map((present) => absence.isGone("a", present))).toEqual([false, false, false, false, true, true]);
});

it("counts for each stay from the start, and for nobody nothing", () => {
  const absence = new Absence();
  expect([absence.isGone("a", lists()), absence.isGone("b", lists()), absence.isGone("b", lists())]).toEqual([
    false,
    false,
    true,
  ]);
  expect([absence.isGone(null, lists()), absence.isGone(null, lists()), absence.isGone("b", lists())]).toEqual([
    false,
    false,
    false,
  ]);
});
