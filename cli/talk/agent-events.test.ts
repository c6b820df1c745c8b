import { expect, it } from "vitest";
import { type AgentEvent, encodeAgentEvent } from "#protocol/agents/events";
import { describeEvent, readAgentEvent } from "./agent-events.js";

const shown = (event: AgentEvent): string | null => {
  const read = readAgentEvent(encodeAgentEvent(event));
  if (read === null) throw new Error("not read");
  return describeEvent(read);
};
const call = { callId: "c", toolName: "look_up", toolSource: "webhook", nodeId: "" } as const;

it("tools, errors and nothing else of an agent's events are lines of a terminal", () => {
  expect(shown({ type: "tool.started", input: '{"a":\n 1}', ...call })).toBe('tool look_up runs with {"a": 1}');
  expect(shown({ type: "tool.completed", output: "x".repeat(300), ...call })).toBe(
    `tool look_up gave ${"x".repeat(200)}…`,
  );
  expect(shown({ type: "tool.failed", error: "no", ...call })).toBe("tool look_up failed: no");
  expect(shown({ type: "error", code: "provider_error" })).toBe("error: provider_error");
  expect(shown({ type: "session.ended", reason: "agent_hangup" })).toBeNull();
  const clientCall = { type: "client_tool.call", callId: "c", toolName: "show", params: {} } as const;
  expect(shown({ ...clientCall, expectsResponse: true })).toContain("a terminal has none");
  expect(shown({ ...clientCall, expectsResponse: false })).toBeNull();
});

it("packets that are no event that is known are left alone", () => {
  for (const packet of ["", "{", "null", '{"type":"later"}', '{"type":"tool.started"}'])
    expect(readAgentEvent(new TextEncoder().encode(packet))).toBeNull();
});
