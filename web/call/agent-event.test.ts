import { describe, expect, it } from "vitest";
import { type AgentEvent, encodeAgentEvent } from "#protocol/agents/events";
import { readAgentMessage } from "./agent-event.js";

const tool = { callId: "1", toolName: "search", toolSource: "webhook", nodeId: "n" } as const;
const sent = (event: AgentEvent): ReturnType<typeof readAgentMessage> => readAgentMessage(encodeAgentEvent(event));

describe("what the agent sends to a page", () => {
  it("is a tool to run, with its parameters", () => {
    const request = { callId: "1", toolName: "add", params: { a: 1 }, expectsResponse: false };
    expect(sent({ type: "client_tool.call", ...request })).toEqual({ type: "tool-request", request });
  });

  it("is a tool at work, with what it was given, what it gave, or what went wrong", () => {
    const activity = { callId: "1", toolName: "search" };
    const told = (status: string, text: string): object => ({ type: "tool", activity: { ...activity, status, text } });
    expect(sent({ type: "tool.started", input: "{}", ...tool })).toEqual(told("started", "{}"));
    expect(sent({ type: "tool.completed", output: "found", ...tool })).toEqual(told("completed", "found"));
    expect(sent({ type: "tool.failed", error: "gone", ...tool })).toEqual(told("failed", "gone"));
  });

  it("is nothing where it is not known, or broken", () => {
    const packets = ["", "{", "null", "[]", "{}", '{"type": "tool.started", "callId": 1, "toolName": "a"}'];
    const unknown = [
      '{"type": "toString", "callId": "1", "toolName": "a"}',
      '{"type": "error", "code": "internal_error"}',
    ];
    for (const text of [...packets, ...unknown])
      expect([text, readAgentMessage(new TextEncoder().encode(text))]).toEqual([text, null]);
  });

  it("has parameters even where they are left out", () => {
    const packet = new TextEncoder().encode(
      '{"type": "client_tool.call", "callId": "1", "toolName": "a", "params": [1]}',
    );
    expect(readAgentMessage(packet)).toMatchObject({ request: { params: {}, expectsResponse: true } });
  });
});
