import { describe, expect, it } from "vitest";
import { progressOf } from "./run-entity.js";
import { storable } from "./storable.js";

const none = { queued: 0, running: 0, passed: 0, failed: 0, error: 0 };

describe("the progress of a batch", () => {
  it.each([
    [{ queued: 3 }, { status: "running", completed: false, pass_rate: null }],
    [
      { running: 1, passed: 3, failed: 1 },
      { status: "running", completed: false, pass_rate: 0.75 },
    ],
    [
      { passed: 1, failed: 3, error: 4 },
      { status: "completed", completed: true, errors: 4, pass_rate: 0.25 },
    ],
    [{ error: 2 }, { status: "completed", pass_rate: null }],
    [{ failed: 2 }, { pass_rate: 0 }],
  ])("%j", (counts, progress) => {
    expect(progressOf({ ...none, ...counts })).toMatchObject(progress);
  });
});

it("what models write is made storable, however deep it lies", () => {
  expect(storable({ "a\u0000": ["x\u0000y", { b: "\ud800" }], n: 1, nothing: null, yes: true })).toEqual({
    "a\ufffd": ["x\ufffdy", { b: "\ufffd" }],
    ...{ n: 1, nothing: null, yes: true },
  });
});
