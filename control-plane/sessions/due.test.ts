import { describe, expect, it } from "vitest";
import { dueOf, type OpenSession } from "./due.js";

const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds));
const now = at(100);

const held: OpenSession = {
  id: "s",
  status: "active",
  attempt: 1,
  runtimeId: "r",
  runtimeEpoch: "e",
  givenUntil: null,
  unheldSince: null,
  joinBy: at(60),
  overBy: at(1000),
  settleAt: null,
  endedAt: null,
  endedReason: null,
  endedDetail: null,
};
const unheld: OpenSession = { ...held, runtimeId: null, runtimeEpoch: null, unheldSince: at(50) };

describe("dueOf", () => {
  it.each<[string, Partial<OpenSession>, ReturnType<typeof dueOf>]>([
    ["goes on", {}, null],
    ["waits for its caller", { status: "pending", joinBy: at(101) }, null],
    ["waits for its log after the deadline", { status: "pending", joinBy: at(91) }, null],
    ["was not joined", { status: "pending", joinBy: at(90) }, "never-joined"],
    ["was joined in time", { joinBy: at(10) }, null],
    ["waits for late records", { settleAt: at(101), overBy: at(1) }, null],
    ["has ended", { settleAt: at(100), overBy: at(1) }, "settle"],
    ["was forgotten", { overBy: at(100) }, "forgotten"],
  ])("a session that %s", (_, change, due) => {
    expect(dueOf({ ...held, ...change }, now, { isGone: false, isHeld: false })).toBe(due);
  });

  it.each<[string, Partial<OpenSession>, ReturnType<typeof dueOf>]>([
    ["goes on where the clock is set ahead", { overBy: at(100 - 3600) }, null],
    ["is held for ever", { overBy: at(100 - 7200) }, "forgotten"],
    ["has ended", { settleAt: at(100) }, "settle"],
    ["has ended before the clock was set back", { settleAt: at(105 + 3600) }, "settle"],
  ])("a session that a runtime holds and that %s", (_, change, due) => {
    expect(dueOf({ ...held, ...change }, now, { isGone: false, isHeld: true })).toBe(due);
  });

  it.each<[string, OpenSession, boolean, ReturnType<typeof dueOf>]>([
    ["whose runtime is gone", held, true, "take-over"],
    ["that has ended, whose runtime is gone", { ...held, settleAt: at(101) }, true, null],
    ["that nobody holds", unheld, false, "take-over"],
    ["that somebody is placing", { ...unheld, givenUntil: at(101) }, false, null],
    ["that somebody failed to place", { ...unheld, givenUntil: at(100) }, false, "take-over"],
    [
      "that somebody failed to place before the clock was set back",
      { ...unheld, givenUntil: at(3700) },
      false,
      "take-over",
    ],
    ["that is being created", { ...unheld, unheldSince: null, givenUntil: at(1) }, false, null],
  ])("a session %s", (_, session, isGone, due) => {
    expect(dueOf(session, now, { isGone, isHeld: false })).toBe(due);
  });
});
