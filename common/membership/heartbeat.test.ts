import { describe, expect, it, onTestFinished } from "vitest";
import { HEARTBEAT_INTERVAL_MS, type Heartbeat, MEMBER_TIMEOUT_MS, membersSubject } from "#protocol/bus/membership";
import { LocalBus } from "../bus/testing/local-bus.js";
import { type Clock, VirtualClock } from "../clock.js";
import { followMembers } from "./heartbeat.js";

const member: Heartbeat = { type: "heartbeat", role: "edge", id: "w", epoch: "1", state: "ready" };

/** A follower whose process can stand still: its clock goes on, no timer fires, and what is published waits. */
function following() {
  const bus = new LocalBus();
  const timers = new VirtualClock();
  let stoodStillMs = 0;
  const clock: Clock = {
    nowMs: () => timers.nowMs() + stoodStillMs,
    after: (delayMs, callback) => timers.after(delayMs, callback),
  };
  const changes: string[] = [];
  const followed = followMembers({ bus, clock, onChange: ({ type }) => void changes.push(type) });
  onTestFinished(followed.stop);
  const beat = (): void => bus.publish(membersSubject, member);
  return {
    changes,
    members: followed.members,
    beat,
    /** Time passes, with the member's heartbeats in it. */
    live: (durationMs: number) => {
      for (let passedMs = 0; passedMs < durationMs; passedMs += HEARTBEAT_INTERVAL_MS) {
        beat();
        timers.advance(HEARTBEAT_INTERVAL_MS);
      }
    },
    /** Time passes in silence. */
    wait: (durationMs: number) => timers.advance(durationMs),
    /** Time passes while this process stands still; its timers are overdue when it goes on. */
    standStill: (durationMs: number) => {
      stoodStillMs += durationMs;
      timers.advance(HEARTBEAT_INTERVAL_MS);
    },
  };
}

describe("following the members", () => {
  it("holds its own standing still against nobody", () => {
    const { changes, members, live, beat, standStill } = following();
    live(1000);
    standStill(5000);
    expect(members.get("w")).toBeDefined();
    beat();
    live(1000);
    expect(changes).not.toContain("lost");
  });

  it("finds a member lost that went while it stood still, a timeout after it goes on", () => {
    const { members, live, wait, standStill } = following();
    live(1000);
    standStill(5000);
    wait(MEMBER_TIMEOUT_MS);
    expect(members.get("w")).toBeUndefined();
  });

  it("finds a silent member lost also where it stands still again and again", () => {
    const { members, live, standStill } = following();
    live(1000);
    for (let times = 0; times < 4; times++) standStill(700);
    expect(members.get("w")).toBeUndefined();
  });
});
