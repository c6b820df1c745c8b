import { expect, it } from "vitest";
import { lineChanges } from "./line-changes.js";

/** As `diff` writes it: a sign before each line. */
const diff = (before: string, after: string): string[] =>
  lineChanges(before, after).map(({ kind, text }) => ({ same: " ", gone: "-", new: "+" })[kind] + text);

it("says line by line what went and what came", () => {
  expect(diff("a\nb\nc", "a\nc")).toEqual([" a", "-b", " c"]);
  expect(diff("a\nc", "a\nb\nc\nd")).toEqual([" a", "+b", " c", "+d"]);
  expect(diff("a\nb", "a\nB")).toEqual([" a", "-b", "+B"]);
  expect(diff("x\na\nb\ny", "a\nq\nb")).toEqual(["-x", " a", "+q", " b", "-y"]);
  expect(diff("one", "one")).toEqual([" one"]);
  expect(diff("a\na", "a")).toEqual([" a", "-a"]);
});

it("gives both texts back, whatever they are", () => {
  const texts = ["", "a", "a\nb\na\nc", "c\na\nb", "b\nb\nb", "x\n\ny"];
  for (const before of texts)
    for (const after of texts) {
      const changes = lineChanges(before, after);
      const without = (kind: string): string =>
        changes
          .filter((change) => change.kind !== kind)
          .map(({ text }) => text)
          .join("\n");
      expect([without("new"), without("gone")]).toEqual([before, after]);
    }
});

it("does not compare texts of very many lines line by line", () => {
  const many = (mark: string): string => Array.from({ length: 1500 }, (_, index) => `${mark}${index}`).join("\n");
  const changes = lineChanges(`same\n${many("a")}\nend`, `same\n${many("b")}\nend`);
  expect(changes.length).toBe(3002);
  expect([changes[0]?.kind, changes[1]?.kind, changes.at(-2)?.kind, changes.at(-1)?.kind]).toEqual([
    "same",
    "gone",
    "new",
    "same",
  ]);
});
