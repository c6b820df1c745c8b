import { describe, expect, it } from "vitest";
import { clientEventLimits } from "#protocol/agents/room-topics";
import { VirtualClock } from "#common/clock";
import { ClientEventGate } from "./client-events.js";

const packet = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const judge = (value: unknown) => new ClientEventGate(new VirtualClock()).judge("client-event", packet(value));

describe("packets of a caller's program", () => {
  it.each([
    [
      { type: "user.message", text: " Hello " },
      { type: "user.message", text: "Hello", isTextOnly: false },
    ],
    [
      { type: "user.message", text: "Hi", audio: false },
      { type: "user.message", text: "Hi", isTextOnly: true },
    ],
    [{ type: "user.activity", extra: 1 }, { type: "user.activity" }],
    [{ type: "user.interrupt" }, { type: "user.interrupt" }],
    [{ type: "user.hangup" }, { type: "user.hangup" }],
    [
      { type: "client_tool.result", callId: "c", result: { a: [1] } },
      { type: "client_tool.result", callId: "c", result: { a: [1] }, isError: false },
    ],
    [
      { type: "client_tool.result", callId: "c", isError: true },
      { type: "client_tool.result", callId: "c", isError: true },
    ],
  ])("are events: %j", (sent, event) => {
    expect(judge(sent)).toEqual({ type: "event", event });
  });

  it.each([
    [{ type: "user.message", text: "" }],
    [{ type: "user.message", text: " \n" }],
    [{ type: "user.message", text: 7 }],
    [{ type: "user.message" }],
    [{ type: "client_tool.result", callId: "" }],
    [{ type: "client_tool.result", callId: "c".repeat(129), result: 1 }],
    [{ type: "client_tool.result", callId: "c", isError: "yes" }],
    [{ type: "agent.message", text: "Hello" }],
    [{ type: "__proto__" }],
    [[]],
    [null],
    ["user.hangup"],
  ])("are left aside: %j", (sent) => {
    expect(judge(sent)).toEqual({ type: "dropped" });
  });

  it("are left aside when they are no JSON, no UTF-8, too long, too large, or of another topic", () => {
    const gate = new ClientEventGate(new VirtualClock());
    const long = { type: "user.message", text: "a".repeat(clientEventLimits.messageCharacters + 1) };
    expect(gate.judge("client-event", packet(long))).toEqual({ type: "dropped" });
    const large = { type: "client_tool.result", callId: "c", result: "a".repeat(clientEventLimits.packetBytes) };
    expect(gate.judge("client-event", new TextEncoder().encode("{"))).toEqual({ type: "dropped" });
    expect(gate.judge("client-event", Uint8Array.of(0xff, 0xfe))).toEqual({ type: "dropped" });
    expect(gate.judge("client-event", packet(large))).toEqual({ type: "dropped" });
    expect(gate.judge("agent-event", packet({ type: "user.hangup" }))).toEqual({ type: "dropped" });
    expect(gate.judge("client-event", packet({ type: "user.hangup" }))).toMatchObject({ type: "event" });
  });

  it("are taken at the rate that is promised, and left aside beyond it", () => {
    const clock = new VirtualClock();
    const gate = new ClientEventGate(clock);
    const take = (): boolean => gate.judge("client-event", packet({ type: "user.activity" })).type === "event";
    expect(Array.from({ length: clientEventLimits.burst }, take)).not.toContain(false);
    expect(take()).toBe(false);
    for (let second = 0; second < 30; second++) {
      clock.advance(1000);
      expect(Array.from({ length: clientEventLimits.perSecond }, take)).not.toContain(false);
    }
  });

  it("are a flood in the end, and only when they go on and on", () => {
    const clock = new VirtualClock();
    const patient = new ClientEventGate(clock);
    for (let count = 0; count < 600; count++) {
      clock.advance(100);
      expect(patient.judge("other", packet({})).type).toBe("dropped");
    }
    clock.advance(1000);
    const verdicts = Array.from({ length: 500 }, () => patient.judge("other", packet({})).type);
    expect(verdicts.indexOf("flood")).toBe(clientEventLimits.droppedBeforeRemoval);
  });
});
