import { expect, it } from "vitest";
import { clientEventLimits } from "#protocol/agents/room-topics";
import { EarlyPackets } from "./early-packets.js";

const packet = (text: string) => ({ topic: "t", payload: new TextEncoder().encode(text) });

it("gives packets once, in their order, to the participant that is told of next", () => {
  const early = new EarlyPackets();
  early.hold(packet("one"), 0);
  early.hold(packet("two"), 10);
  expect(early.take(3000)).toEqual([packet("one"), packet("two")]);
  expect(early.take(3000)).toEqual([]);
});

it("forgets packets whose sender was never told of", () => {
  const early = new EarlyPackets();
  early.hold(packet("old"), 0);
  early.hold(packet("young"), 100);
  expect(early.take(5001)).toEqual([packet("young")]);
});

it("keeps no more, and nothing larger, than a caller may send at once", () => {
  const early = new EarlyPackets();
  early.hold({ topic: "t", payload: new Uint8Array(clientEventLimits.packetBytes + 1) }, 0);
  for (let at = 0; at < 1000; at++) early.hold(packet(String(at)), 0);
  const held = early.take(0);
  expect(held).toHaveLength(clientEventLimits.burst);
  expect(held[0]).toEqual(packet("0"));
});
