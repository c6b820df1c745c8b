import { describe, expect, it } from "vitest";
import { decidePull, decidePush } from "./decision.js";

const synced = { id: "1", file: "f", server: "s" };

describe("a push", () => {
  it.each([
    ["a new file", { file: "f", server: null, synced: null }, "create", "create"],
    ["what nobody changed", { file: "f", server: "s", synced }, "unchanged", "unchanged"],
    ["a changed file", { file: "f2", server: "s", synced }, "update", "update"],
    ["what changed on the service alone", { file: "f", server: "s2", synced }, "unchanged", "update"],
    ["what changed on both sides", { file: "f2", server: "s2", synced }, "conflict", "update"],
    ["what is gone from the service", { file: "f", server: null, synced }, "conflict", "create"],
  ])("of %s", (_, sides, step, forced) => {
    expect(decidePush(sides, false)).toBe(step);
    expect(decidePush(sides, true)).toBe(forced);
  });
});

describe("a pull", () => {
  it.each([
    ["a new record", { file: null, server: "s", synced: null }, "write", "write"],
    ["a record whose file is gone", { file: null, server: "s", synced }, "write", "write"],
    ["what nobody changed", { file: "f", server: "s", synced }, "unchanged", "unchanged"],
    ["a changed file", { file: "f2", server: "s", synced }, "unchanged", "write"],
    ["what changed on the service alone", { file: "f", server: "s2", synced }, "write", "write"],
    ["what changed on both sides", { file: "f2", server: "s2", synced }, "conflict", "write"],
  ])("of %s", (_, sides, step, forced) => {
    expect(decidePull(sides, false)).toBe(step);
    expect(decidePull(sides, true)).toBe(forced);
  });
});
