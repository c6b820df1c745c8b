import { describe, expect, it } from "vitest";
import { AgentCall } from "./agent-call.js";
import { CallFailure } from "./call-failure.js";
import type { StartSession } from "./call-options.js";
import type { JoinRoom } from "./room.js";
import { anySession, scriptedRoom } from "./testing/scripted-room.js";

interface Told {
  call: AgentCall;
  /** What the call told, in order. */
  told: unknown[];
}

function makeCall(joinRoom: JoinRoom, startSession: StartSession = async () => anySession): Told {
  const call = new AgentCall({ agentId: "agent", serverUrl: "http://server", startSession }, joinRoom);
  const told: unknown[] = [];
  call.on("state", ({ state }) => told.push(state));
  call.on("ended", ({ by }) => told.push({ by }));
  call.on("failed", ({ code }) => told.push({ code }));
  return { call, told };
}

const packet = (event: object): Uint8Array => new TextEncoder().encode(JSON.stringify(event));

describe("a call", () => {
  it("tells what the agent does, from the first ring to its goodbye", async () => {
    const room = scriptedRoom();
    const { call, told } = makeCall(room.join);
    await call.start({ microphone: false });
    for (const state of ["initializing", "listening", "thinking", "speaking", null, "listening"])
      room.callbacks().onAgentState(state);
    room.callbacks().onGone("ended");
    room.callbacks().onAgentState("speaking");
    expect(told).toEqual([
      "connecting",
      "listening",
      "thinking",
      "speaking",
      "connecting",
      "listening",
      "ended",
      { by: "agent" },
    ]);
  });

  it("keeps what was written until the agent is there to read it, in order", async () => {
    const room = scriptedRoom();
    const { call } = makeCall(room.join);
    const started = call.start({ microphone: false });
    call.sendMessage(" first ");
    await started;
    call.sendMessage("second", { audio: false });
    call.sendMessage("  ");
    room.callbacks().onAgentState("initializing");
    expect(room.sent).toEqual([]);
    room.callbacks().onAgentState("listening");
    call.sendMessage("third");
    expect(room.sent).toEqual([
      { type: "user.message", text: "first" },
      { type: "user.message", text: "second", audio: false },
      { type: "user.message", text: "third" },
    ]);
    // An agent that takes the conversation over is waited for like the first one.
    room.callbacks().onAgentState(null);
    call.sendMessage("fourth");
    expect(room.sent).toHaveLength(3);
    room.callbacks().onAgentState("thinking");
    expect(room.sent).toHaveLength(4);
    expect(call.captions.map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      "user: first",
      "user: second",
      "user: third",
      "user: fourth",
    ]);
  });

  it("takes no message when there is nobody to send it to, nor one that is too long", async () => {
    const room = scriptedRoom();
    const { call } = makeCall(room.join);
    expect(() => call.sendMessage("early")).toThrow("no call");
    await call.start({ microphone: false });
    expect(() => call.sendMessage("🎈".repeat(4001))).toThrow(RangeError);
    call.end();
    expect(() => call.sendMessage("late")).toThrow("no call");
    expect(call.captions).toEqual([]);
  });

  it("hangs up once, whatever follows, and cannot begin again", async () => {
    const room = scriptedRoom();
    const { call, told } = makeCall(room.join);
    await call.start({ microphone: false });
    call.end();
    call.end();
    room.callbacks().onGone("lost");
    expect([told, room.left()]).toEqual([["connecting", "ended", { by: "user" }], 1]);
    await expect(call.start()).rejects.toThrow("once");
  });

  it("leaves the room that it joins after it has hung up, and stops asking for a session", async () => {
    const room = scriptedRoom();
    const aborted: boolean[] = [];
    const early = makeCall(room.join, async (signal) => {
      early.call.end();
      aborted.push(signal.aborted);
      return anySession;
    });
    await early.call.start({ microphone: false });
    expect([aborted, early.told]).toEqual([[true], ["connecting", "ended", { by: "user" }]]);
    expect(() => room.callbacks()).toThrow("nobody");
    const late = makeCall(async (options) => {
      late.call.end();
      return await room.join(options);
    });
    await late.call.start({ microphone: false });
    expect([late.told.at(-1), room.left()]).toEqual([{ by: "user" }, 1]);
  });

  it("says why it failed: refused, out of reach, without a microphone, lost", async () => {
    const room = scriptedRoom();
    const refused = makeCall(room.join, () => Promise.reject(new CallFailure("busy", "full", { status: 503 })));
    await refused.call.start({ microphone: false });
    expect(refused.told).toEqual(["connecting", "failed", { code: "busy" }]);
    const unreachable = makeCall(() => Promise.reject(new Error("no way")));
    await unreachable.call.start({ microphone: false });
    expect(unreachable.told.at(-1)).toEqual({ code: "unreachable" });
    // Node has no microphone.
    const silent = makeCall(room.join);
    await silent.call.start();
    expect(silent.told.at(-1)).toEqual({ code: "microphone_missing" });
    const lost = makeCall(room.join);
    await lost.call.start({ microphone: false });
    room.callbacks().onGone("lost");
    expect([lost.told.at(-1), room.left()]).toEqual([{ code: "connection_lost" }, 1]);
  });

  it("mutes a microphone, also before the room is joined", async () => {
    const room = scriptedRoom();
    const { call } = makeCall(room.join);
    const seen: unknown[] = [];
    call.on("microphone", (microphone) => seen.push(microphone));
    const started = call.start({ microphone: false });
    await call.setMuted(true);
    await started;
    await call.setMuted(false);
    expect(room.muted).toEqual([true, false]);
    expect(seen).toEqual([
      { isOpen: false, isMuted: true },
      { isOpen: false, isMuted: false },
    ]);
    await expect(call.openMicrophone()).rejects.toMatchObject({ code: "microphone_missing" });
    expect(call.state).toBe("connecting");
  });

  it("runs the page's tools, and tells of the agent's own", async () => {
    const room = scriptedRoom();
    const { call } = makeCall(room.join);
    const seen: unknown[] = [];
    call.on("tool", (activity) => seen.push(activity));
    call.on("tool-call", ({ toolName }) => seen.push(toolName));
    const remove = call.registerTool("colour", ({ room: name }) => `${name}: green`);
    await call.start({ microphone: false });
    room.callbacks().onAgentState("thinking");
    const ask = (callId: string): void =>
      room
        .callbacks()
        .onAgentPacket(packet({ type: "client_tool.call", callId, toolName: "colour", params: { room: "hall" } }));
    ask("1");
    await expect.poll(() => room.sent).toEqual([{ type: "client_tool.result", callId: "1", result: "hall: green" }]);
    remove();
    ask("2");
    await expect.poll(() => room.sent[1]).toMatchObject({ callId: "2", isError: true });
    const tool = { callId: "3", toolName: "search", toolSource: "webhook", nodeId: "n" };
    room.callbacks().onAgentPacket(packet({ type: "tool.completed", output: "found", ...tool }));
    room.callbacks().onAgentPacket(packet({ type: "something.new", ...tool }));
    expect(seen).toEqual(["colour", { callId: "3", toolName: "search", status: "completed", text: "found" }]);
  });

  it("has the agent stop only when it is there", async () => {
    const room = scriptedRoom();
    const { call } = makeCall(room.join);
    await call.start({ microphone: false });
    call.interrupt();
    room.callbacks().onAgentState("speaking");
    call.interrupt();
    expect(room.sent).toEqual([{ type: "user.interrupt" }]);
  });
});
