import { describe, expect, it } from "vitest";
import { anySession, scriptedRoom } from "../call/testing/scripted-room.js";
import { CallFailure } from "../call/call-failure.js";
import type { CallOptions } from "../call/call-options.js";
import { WidgetCall } from "./widget-call.js";

function makeCalls(options: Partial<CallOptions> = {}) {
  const room = scriptedRoom();
  const told: string[] = [];
  const calls = new WidgetCall(room.join, {
    onBegin: () => void told.push("begin"),
    onChange: () => undefined,
    onEvent: (name) => void told.push(name),
  });
  const given = { agentId: "a", serverUrl: "http://server", startSession: async () => anySession, ...options };
  return { room, calls, told, options: given };
}

describe("the calls of a widget", () => {
  it("are one at a time, and a message begins one where none is under way", async () => {
    const { room, calls, told, options } = makeCalls();
    expect([calls.state, calls.failure, calls.microphone.isOpen]).toEqual(["idle", null, false]);
    calls.send("first", options);
    calls.start(options, { microphone: false });
    calls.send("second", options);
    await expect.poll(() => room.joined()).toBe(1);
    room.callbacks().onAgentState("listening");
    expect(room.sent).toMatchObject([{ text: "first" }, { text: "second" }]);
    calls.end();
    expect([calls.state, told.filter((name) => name === "begin")]).toEqual(["ended", ["begin"]]);
    calls.send("third", options);
    expect([calls.state, told.filter((name) => name === "begin")]).toEqual(["connecting", ["begin", "begin"]]);
  });

  it("have the page's tools, whichever call asks for them", async () => {
    const { room, calls, options } = makeCalls();
    calls.registerTool("add", () => 1);
    const ask = { type: "client_tool.call", callId: "c", toolName: "add", params: {}, expectsResponse: true };
    for (const times of [1, 2]) {
      calls.start(options, { microphone: false });
      await expect.poll(() => room.joined()).toBe(times);
      room.callbacks().onAgentState("thinking");
      room.callbacks().onAgentPacket(new TextEncoder().encode(JSON.stringify(ask)));
      await expect.poll(() => room.sent).toHaveLength(times);
      calls.end();
    }
    expect(room.sent[1]).toEqual({ type: "client_tool.result", callId: "c", result: 1 });
  });

  it("keep why the last one failed until the next one begins", async () => {
    const refusals = [new CallFailure("busy", "full")];
    const { calls, options, told } = makeCalls({
      startSession: async () => {
        const refusal = refusals.pop();
        if (refusal !== undefined) throw refusal;
        return anySession;
      },
    });
    calls.start(options, { microphone: false });
    await expect.poll(() => calls.failure).toBe("busy");
    expect([calls.state, told]).toEqual(["failed", ["begin", "state", "state", "failed"]]);
    calls.start(options, { microphone: false });
    expect([calls.state, calls.failure]).toEqual(["connecting", null]);
    // Node has no microphone: the call goes on without.
    await calls.openMicrophone();
    expect([calls.state, calls.failure]).toEqual(["connecting", "microphone_missing"]);
  });
});
