import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { entryText, Keypad } from "./keypad.js";

it("keys become entries: up to a pause, a # or 64 of them, and what is no key is none", () => {
  const clock = new VirtualClock();
  const entries: string[] = [];
  const keypad = new Keypad(clock, (keys) => entries.push(entryText(keys)));
  for (const key of ["1", "x", "", "12", "2"]) keypad.press(key);
  clock.advance(1999);
  keypad.press("3");
  clock.advance(1999);
  expect(entries).toEqual([]);
  clock.advance(1);
  expect(entries).toEqual(["[keypad: 123]"]);
  for (const key of ["*", "4", "#", "5"]) keypad.press(key);
  expect(entries).toEqual(["[keypad: 123]", "[keypad: *4#]"]);
  expect(keypad.close()).toBe("5");
  clock.advance(10_000);
  expect(entries).toHaveLength(2);
  for (let count = 0; count < 65; count++) keypad.press("7");
  expect(entries.at(-1)).toBe(`[keypad: ${"7".repeat(64)}]`);
});
