import { describe, expect, it } from "vitest";
import { agentConfig } from "#protocol/agents/config";
import { sessionCreate } from "#protocol/agents/session";
import { decodeMsgpack, encodeMsgpack } from "#protocol/msgpack";
import type { FrozenTool } from "../tools/store.js";
import { conversationPlan } from "./plan.js";

const now = new Date("2026-11-22T23:30:00.000Z");
const tool: FrozenTool = {
  id: "t",
  toolType: "webhook",
  name: "Order",
  definition: {
    description: "",
    arguments: [],
    method: "POST",
    url: "https://example.com",
    content_type: "application/json",
    body_template: "",
    headers: [],
    timeout_seconds: 30,
    error_handling: "passthrough",
    mock_responses: [{ name: "m", status_code: 200, content_type: "text/plain", body: "x".repeat(100_000) }],
    expects_response: true,
    execution_mode: "blocking",
    integration: null,
  },
  secrets: { authorization: "sealed" },
};

function plan(body: object = {}, config: object = {}, isVisitor = false) {
  return conversationPlan({
    ...{ sessionId: "s", teamId: "team", keyId: "key", agentId: "a", agentName: "Ann" },
    config: agentConfig.parse(config),
    tools: [tool],
    knowledge: [{ id: "k", revisionNumber: 3 }],
    body: sessionCreate.parse({ agent_id: "a", ...body }),
    isVisitor,
    joinMs: 60_000,
    now,
    call: null,
  });
}

describe("conversationPlan", () => {
  it("is what the bus carries", () => {
    const made = plan();
    expect(decodeMsgpack(encodeMsgpack(made))).toEqual(made);
    expect(made).toMatchObject({
      tellsWorldContext: true,
      sendsToolEvents: true,
      recordsAudio: true,
      llmExtraBody: null,
      joinByEpochMs: now.getTime() + 60_000,
      maxDurationMs: 1_800_000,
      system: { channel: "web_voice", timezone: "UTC", today: "2026-11-22", language: "en" },
    });
  });

  it("takes the zone of the request, of the configuration, of the browser, in this order", () => {
    const configured = { conversation: { timezone: "Asia/Tokyo" } };
    const both = { timezone: "Europe/Berlin", client_timezone: "America/New_York" };
    expect(plan(both, configured).timezone).toBe("Europe/Berlin");
    expect(plan({ ...both, timezone: "" }, configured).timezone).toBe("Asia/Tokyo");
    expect(plan({ ...both, timezone: null }).timezone).toBe("America/New_York");
    expect(plan({ client_timezone: "Middle/Earth" }).timezone).toBe("");
    expect(plan({ client_timezone: "+05:30" }).timezone).toBe("");
    expect(plan(both).system).toMatchObject({ timezone: "Europe/Berlin", today: "2026-11-23" });
  });

  it("gives variables as text", () => {
    const variables = plan({ dynamic_variables: { a: "x", b: 1.5, c: true } }).dynamicVariables;
    expect(variables).toEqual({ a: "x", b: "1.5", c: "true" });
  });

  it("has tools and knowledge only where they are on, and no made-up answers", () => {
    expect(plan().tools).toMatchObject([{ id: "t", definition: { mock_responses: [] }, secrets: tool.secrets }]);
    expect(plan({}, { tools: { enabled: false } }).tools).toEqual([]);
    expect(plan().knowledge).toEqual([]);
    expect(plan({}, { knowledge_base: { enabled: true } }).knowledge).toEqual([{ sourceId: "k", revisionNumber: 3 }]);
  });

  it("records what caller and configuration say, of a visitor no more than configured", () => {
    const off = { conversation: { record_audio: false } };
    expect(plan({ record_audio: false }).recordsAudio).toBe(false);
    expect(plan({ record_audio: null }, off).recordsAudio).toBe(false);
    expect(plan({ record_audio: true }, off).recordsAudio).toBe(true);
    expect(plan({ record_audio: true }, off, true).recordsAudio).toBe(false);
    expect(plan({ record_audio: false }, {}, true).recordsAudio).toBe(false);
  });

  it("passes the rest on", () => {
    const body = { world_context: false, tool_events: false, llm_extra_body: { top_k: 3 } };
    expect(plan(body)).toMatchObject({ tellsWorldContext: false, sendsToolEvents: false, llmExtraBody: { top_k: 3 } });
  });
});
