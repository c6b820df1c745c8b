import { describe, expect, it } from "vitest";
import { configPatch } from "#protocol/agents/config-patch";
import { changesOf, countFields, patchOf, valueAt, valuesOf, withValueAt } from "./draft-values.js";

const draft = {
  prompt: { system_prompt: "Help.", first_message: "Hello." },
  conversation: {
    eagerness: "balanced",
    outbound: { amd_enabled: true, voicemail: { action: "hangup", message: "" } },
  },
  tools: { tool_ids: ["a", "b"] },
  webhooks: { conversation_init: null, post_call: [{ url: "https://a.example/", has_secret: true }] },
  llm: { tier: "medium", custom: null as unknown },
};

it("reads and changes a value by its path, and leaves the rest as it was", () => {
  const path = ["conversation", "outbound", "voicemail", "action"];
  const changed = withValueAt(draft, path, "leave_message");
  expect(valueAt(changed, path)).toBe("leave_message");
  expect(valueAt(draft, path)).toBe("hangup");
  expect(changed["prompt"]).toBe(draft.prompt);
  expect(valueAt(draft, ["prompt", "nothing", "below"])).toBeUndefined();
  expect(valueAt(withValueAt(draft, ["llm", "custom", "model"], "m"), ["llm", "custom"])).toEqual({ model: "m" });
});

it("leaves out of a draft what the server says about it", () => {
  const config = { agent_id: "a", config_hash: "h", updated_at: "now", prompt: draft.prompt };
  expect(valuesOf(config as never)).toEqual({ prompt: draft.prompt });
});

describe("what is sent of an edited draft", () => {
  const patch = (path: string[], value: unknown): unknown => patchOf(draft, withValueAt(draft, path, value));

  it("is what differs, and lists whole", () => {
    expect(patchOf(draft, draft)).toEqual({});
    expect(changesOf(draft, { ...draft })).toBeUndefined();
    expect(patch(["prompt", "first_message"], "Hi.")).toEqual({ prompt: { first_message: "Hi." } });
    expect(patch(["tools", "tool_ids"], ["b"])).toEqual({ tools: { tool_ids: ["b"] } });
    expect(patch(["conversation", "outbound", "voicemail", "message"], "Later.")).toEqual({
      conversation: { outbound: { voicemail: { message: "Later." } } },
    });
  });

  it("has a model of one's own whole, and never a tier beside it", () => {
    const custom = { base_url: "https://m.example/v1", model: "m", api_key: "k" };
    expect(patch(["llm", "custom"], custom)).toEqual({ llm: { custom } });
    const withModel = { ...draft, llm: { tier: "medium", custom: { ...custom, api_key: null } } };
    expect(patchOf(withModel, withValueAt(withModel, ["llm", "custom", "model"], "n"))).toEqual({
      llm: { custom: { ...custom, api_key: null, model: "n" } },
    });
    expect(patchOf(withModel, withValueAt(withModel, ["llm", "custom"], null))).toEqual({ llm: { custom: null } });
    expect(patchOf(withModel, { ...draft, llm: { tier: "high", custom: null } })).toEqual({ llm: { tier: "high" } });
  });

  it("has the request before a call whole, or null where it is taken away", () => {
    const init = { url: "https://i.example/", has_secret: true, timeout_seconds: 5 };
    expect(patch(["webhooks", "conversation_init"], init)).toEqual({ webhooks: { conversation_init: init } });
    const withInit = withValueAt(draft, ["webhooks", "conversation_init"], init);
    const later = withValueAt(withInit, ["webhooks", "conversation_init", "timeout_seconds"], 8);
    expect(patchOf(withInit, later)).toEqual({ webhooks: { conversation_init: { ...init, timeout_seconds: 8 } } });
    expect(patchOf(withInit, draft)).toEqual({ webhooks: { conversation_init: null } });
  });

  it("is what the server's schema takes, and is counted by fields", () => {
    const edited = withValueAt(withValueAt(draft, ["prompt", "first_message"], "Hi."), ["tools", "tool_ids"], ["b"]);
    expect(configPatch.safeParse(patchOf(draft, edited)).success).toBe(true);
    expect(countFields(patchOf(draft, edited))).toBe(2);
    expect(countFields({})).toBe(0);
  });
});
