import { type Heartbeat, MEMBER_TIMEOUT_MS } from "#protocol/bus/membership";
import { describe, expect, it } from "vitest";
import { Membership } from "./membership.js";

function edge(id: string, epoch: string, state: Heartbeat["state"] = "ready"): Heartbeat {
  return { type: "heartbeat", role: "edge", id, epoch, state };
}

describe("Membership", () => {
  it("tells of a newcomer once, then of updates", () => {
    const members = new Membership();
    expect(members.receive(edge("a", "1"), 0).map((change) => change.type)).toEqual(["joined"]);
    expect(members.receive(edge("a", "1"), 100).map((change) => change.type)).toEqual(["updated"]);
  });

  it("declares a restarted process lost before it joins again", () => {
    const members = new Membership();
    members.receive(edge("a", "1"), 0);
    const changes = members.receive(edge("a", "2"), 10);
    expect(changes.map((change) => [change.type, change.member.epoch])).toEqual([
      ["lost", "1"],
      ["joined", "2"],
    ]);
  });

  it("declares a silent member lost after the timeout, and only then", () => {
    const members = new Membership();
    members.receive(edge("a", "1"), 0);
    expect(members.expire(MEMBER_TIMEOUT_MS)).toEqual([]);
    expect(members.expire(MEMBER_TIMEOUT_MS + 1).map((change) => change.type)).toEqual(["lost"]);
    expect(members.get("a")).toBeUndefined();
  });

  it("suspects a member that has missed two heartbeats, and drops it where it is known to be gone", () => {
    const members = new Membership();
    members.receive(edge("a", "1"), 0);
    expect(members.suspects(600)).toEqual([]);
    expect(members.suspects(601)).toEqual([edge("a", "1")]);
    expect(members.dropSuspect(edge("a", "0"), 601)).toEqual([]);
    expect(members.dropSuspect(edge("a", "1"), 601)).toEqual([{ type: "lost", member: edge("a", "1") }]);
    members.receive(edge("a", "1"), 700);
    expect(members.dropSuspect(edge("a", "1"), 701)).toEqual([]);
  });

  it("suspects nobody of whom nothing was heard since the bus was away", () => {
    const members = new Membership();
    members.receive(edge("a", "1"), 0);
    members.forgiveSilence(500);
    expect(members.suspects(1900)).toEqual([]);
    members.receive(edge("a", "1"), 2000);
    expect(members.suspects(2601)).toHaveLength(1);
  });

  it("lets a stopping member leave at once", () => {
    const members = new Membership();
    members.receive(edge("a", "1"), 0);
    expect(members.receive(edge("a", "1", "stopped"), 1).map((change) => change.type)).toEqual(["lost"]);
    expect(members.receive(edge("a", "1", "stopped"), 2)).toEqual([]);
  });

  it("does not hold a bus interruption against its members", () => {
    const members = new Membership();
    members.receive(edge("a", "1"), 0);
    members.forgiveSilence(MEMBER_TIMEOUT_MS * 10);
    expect(members.expire(MEMBER_TIMEOUT_MS * 10 + 1)).toEqual([]);
    expect(members.ofRole("edge")).toHaveLength(1);
    expect(members.ofRole("worker")).toHaveLength(0);
  });
});
