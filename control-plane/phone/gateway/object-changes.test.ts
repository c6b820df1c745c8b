import { describe, expect, it } from "vitest";
import { objectChanges } from "./object-changes.js";

const trunk = { name: "a", numbers: ["+1"], authPassword: "secret", metadata: "m" };
const stored = (id: string, change: object = {}) => ({ ...trunk, id, ...change });

describe("the changes of a number's objects", () => {
  it("make what is missing, and leave what is right", () => {
    expect(objectChanges(trunk, [])).toEqual({ save: { id: null, value: trunk }, unchangedId: null, deleteIds: [] });
    expect(objectChanges(trunk, [stored("1")])).toEqual({ save: null, unchangedId: "1", deleteIds: [] });
    // A server need not show passwords: the metadata tells that one was changed.
    expect(objectChanges(trunk, [stored("1", { authPassword: "" })]).save).toBeNull();
  });

  it.each([
    { name: "b" },
    { numbers: ["+1", "+2"] },
    { metadata: "n" },
    { extra: 1 },
  ])("replace what has %j", (change) => {
    expect(objectChanges(trunk, [stored("1", change)])).toEqual({
      ...{ save: { id: "1", value: trunk }, unchangedId: null, deleteIds: [] },
    });
  });

  it("delete what is too much: all but the first by its id, or everything", () => {
    expect(objectChanges(trunk, [stored("3"), stored("1"), stored("2")])).toEqual({
      ...{ save: null, unchangedId: "1", deleteIds: ["2", "3"] },
    });
    expect(objectChanges(null, [stored("2"), stored("1")])).toEqual({
      ...{ save: null, unchangedId: null, deleteIds: ["1", "2"] },
    });
  });
});
