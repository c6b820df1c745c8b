import { beforeEach, expect, it } from "vitest";
import type { Heartbeat } from "#protocol/bus/membership";
import { LostRuntimes } from "./lost-runtimes.js";

let nowMs: number;
let alive: string[];
let lost: LostRuntimes;
const runtime = { id: "r", epoch: "1" };
const member: Heartbeat = { type: "heartbeat", role: "agent", ...runtime, state: "ready", places: 1, sessions: [] };

beforeEach(() => {
  nowMs = 0;
  alive = [];
  lost = new LostRuntimes({ isAlive: ({ id, epoch }) => alive.includes(id + epoch) }, () => nowMs);
});

it("misses at once a runtime that was seen and was lost, and no other of its id", () => {
  expect(lost.noted({ type: "joined", member })).toBe(false);
  expect(lost.noted({ type: "lost", member: { ...member, role: "edge" } as Heartbeat })).toBe(false);
  expect(lost.isGone(runtime)).toBe(false);
  expect(lost.noted({ type: "lost", member })).toBe(true);
  expect(lost.isGone(runtime)).toBe(true);
  expect(lost.isGone({ ...runtime, epoch: "2" })).toBe(false);
});

it("does not miss one that came back", () => {
  lost.noted({ type: "lost", member });
  alive = ["r1"];
  expect(lost.isGone(runtime)).toBe(false);
  alive = [];
  expect(lost.isGone(runtime)).toBe(false);
});

it("gives one of which it never heard time to show itself, once more after the bus was away", () => {
  expect(lost.isGone(runtime)).toBe(false);
  nowMs = 2999;
  expect(lost.isGone(runtime)).toBe(false);
  lost.interrupted();
  nowMs = 3000;
  expect(lost.isGone(runtime)).toBe(false);
  nowMs = 6000;
  expect(lost.isGone(runtime)).toBe(true);
  alive = ["r1"];
  expect(lost.isGone(runtime)).toBe(false);
});
