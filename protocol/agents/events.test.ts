import { describe, expect, it } from "vitest";
import { encodeAgentEvent, MAX_EVENT_TEXT_CHARACTERS } from "./events.js";

const decode = (packet: Uint8Array): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(packet));
const call = { callId: "c", toolName: "lookup", toolSource: "webhook", nodeId: "main" } as const;

describe("events of an agent", () => {
  it("are one JSON object as they are", () => {
    const event = {
      type: "client_tool.call",
      callId: "c",
      toolName: "t",
      params: { a: 1 },
      expectsResponse: true,
    } as const;
    expect(decode(encodeAgentEvent(event))).toEqual(event);
    expect(decode(encodeAgentEvent({ type: "tool.completed", output: "{}", ...call }))).toEqual({
      type: "tool.completed",
      output: "{}",
      ...call,
    });
  });

  it("carry long texts of tools cut between two characters, and say so", () => {
    const text = `${"a".repeat(MAX_EVENT_TEXT_CHARACTERS - 1)}\u{1f600}${"b".repeat(100_000)}`;
    expect(decode(encodeAgentEvent({ type: "tool.started", input: text, ...call }))).toEqual({
      type: "tool.started",
      input: "a".repeat(MAX_EVENT_TEXT_CHARACTERS - 1),
      inputTruncated: true,
      ...call,
    });
    expect(decode(encodeAgentEvent({ type: "tool.completed", output: text, ...call }))).toMatchObject({
      outputTruncated: true,
    });
    expect(decode(encodeAgentEvent({ type: "tool.failed", error: text, ...call }))).toMatchObject({
      errorTruncated: true,
    });
  });
});
