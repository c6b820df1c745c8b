import { describe, expect, it } from "vitest";
import { validate } from "#common/http/validation";
import { type AgentConfig, agentConfig } from "#protocol/agents/config";
import { configPatch } from "#protocol/agents/config-patch";
import { applyPatch } from "./apply-patch.js";
import type { Attachments } from "../attachables.js";
import { configHash as hashOf } from "./config-hash.js";
import { toConfigEntity } from "./config-entity.js";

const noAttachments: Attachments = { tools: [], knowledge: [] };

let sealed = 0;
const secrets = {
  seal: (plain: string) => `${sealed++}:${plain}`,
  open: (text: string) => text.slice(text.indexOf(":") + 1),
};
const base = agentConfig.parse({});
const configHash = (config: AgentConfig): string => hashOf(config, noAttachments);
const apply = (config: AgentConfig, patch: unknown): AgentConfig =>
  applyPatch(config, validate(configPatch, patch, ["body"]), secrets, ["body"]);
const url = "https://example.com/hook";

describe("applyPatch", () => {
  it("changes what is given and keeps the rest, by section", () => {
    const once = apply(base, {
      prompt: { system_prompt: "a", first_message: "" },
      conversation: { outbound: { voicemail: { message: "m" } } },
    });
    expect(once.prompt).toEqual({ ...base.prompt, system_prompt: "a", first_message: "" });
    expect(once.conversation.outbound).toEqual({ amd_enabled: true, voicemail: { action: "hangup", message: "m" } });
    const twice = apply(once, {
      conversation: { outbound: { voicemail: { action: "leave_message" } } },
      tools: { tool_ids: ["t"] },
    });
    expect(twice.conversation.outbound).toEqual({
      amd_enabled: true,
      voicemail: { action: "leave_message", message: "m" },
    });
    expect([twice.tools.tool_ids, twice.tools.enabled, twice.prompt]).toEqual([["t"], true, once.prompt]);
  });

  it("replaces the list of webhooks as a whole", () => {
    const two = apply(base, { webhooks: { post_call: [{ url, secret: "s" }, { url: "https://example.org/" }] } });
    expect(two.webhooks.post_call.map((entry) => entry.secret !== null)).toEqual([true, false]);
    expect(apply(two, { webhooks: { post_call: [{ url: "https://example.org/" }] } }).webhooks.post_call).toEqual([
      { url: "https://example.org/", secret: null },
    ]);
    for (const none of [null, []]) expect(apply(two, { webhooks: { post_call: none } }).webhooks.post_call).toEqual([]);
  });

  describe("of a webhook that comes without a secret", () => {
    const other = "https://example.org/two";
    const before = apply(base, {
      webhooks: {
        post_call: [
          { url, secret: "one" },
          { url: other, secret: "two" },
        ],
      },
    });
    const [first, second] = before.webhooks.post_call;
    const kept = (postCall: unknown) => apply(before, { webhooks: { post_call: postCall } }).webhooks.post_call;

    it("keeps the one stored for its url, whatever the form and order of the list", () => {
      expect(kept([{ url }])).toEqual([first]);
      expect(kept({ url })).toEqual([first]);
      expect(kept([{ url, secret: null }])).toEqual([first]);
      expect(kept([{ url: other }, { url }])).toEqual([second, first]);
      expect(kept([{ url: other, secret: "new" }, { url }])).toEqual([
        { url: other, secret: expect.anything() },
        first,
      ]);
    });

    it("takes two spellings of one url for one, and keeps the spelling that came last", () => {
      const spelled = "HTTPS://EXAMPLE.com:443/hook";
      expect(kept([{ url: spelled }])).toEqual([{ url: spelled, secret: first?.secret }]);
    });

    it.each([
      `${url}/`,
      `${url}?a=1`,
      "https://example.com/",
      "http://example.com/hook",
      "https://example.com:8443/hook",
      "https://hook.example.com/hook",
    ])("gives none to the changed url %s", (changed) => {
      expect(kept([{ url: changed }, { url: other }])).toEqual([{ url: changed, secret: null }, second]);
    });

    it("removes it when an empty one comes, and for good when its entry goes", () => {
      expect(kept([{ url, secret: "" }, { url: other }])).toEqual([{ url, secret: null }, second]);
      const removed = apply(before, { webhooks: { post_call: [{ url: other }] } });
      expect(apply(removed, { webhooks: { post_call: [{ url }, { url: other }] } }).webhooks.post_call).toEqual([
        { url, secret: null },
        second,
      ]);
    });

    it("takes back what it showed, which changes nothing", () => {
      const full = apply(before, { webhooks: { conversation_init: { url, secret: "i", timeout_seconds: 2 } } });
      const shown = toConfigEntity({
        agentId: "a",
        config: full,
        configHash: configHash(full),
        updatedAt: new Date(0),
      });
      expect(apply(full, { webhooks: shown.webhooks })).toEqual(full);
      // A new agent has nothing stored: `has_secret` alone makes no secret.
      expect(apply(base, { webhooks: shown.webhooks }).webhooks.post_call.map(({ secret }) => secret)).toEqual([
        null,
        null,
      ]);
    });
  });

  it("has the same hash when the same secret is sent again, and another one for another secret", () => {
    const patch = { webhooks: { post_call: [{ url, secret: "s" }], conversation_init: { url, secret: "i" } } };
    const once = apply(base, patch);
    expect(configHash(apply(once, patch))).toBe(configHash(once));
    expect(configHash(apply(once, { webhooks: { post_call: [{ url, secret: "t" }] } }))).not.toBe(configHash(once));
  });

  it("keeps the pre-call webhook's secret while its url stays, until it is cleared", () => {
    const once = apply(base, { webhooks: { conversation_init: { url, secret: "i", timeout_seconds: 2 } } });
    const init = (from: AgentConfig, change: object | null) =>
      apply(from, { webhooks: { conversation_init: change } }).webhooks.conversation_init;
    const secret = once.webhooks.conversation_init?.secret;
    expect(init(once, { url, has_secret: true, timeout_seconds: 3 })).toEqual({ url, secret, timeout_seconds: 3 });
    expect(init(once, { url, secret: null })).toEqual({ url, secret, timeout_seconds: 2 });
    expect(init(once, { url: `${url}/2` })).toEqual({ url: `${url}/2`, secret: null, timeout_seconds: 2 });
    expect(init(once, { url, secret: "" })?.secret).toBeNull();
    expect(init(once, null)).toBeNull();
    // The secrets of the one kind are none of the other's.
    expect(apply(once, { webhooks: { post_call: { url } } }).webhooks.post_call).toEqual([{ url, secret: null }]);
  });

  it("asks for a model's key when it comes, and when it moves to another origin", () => {
    const custom = { base_url: "https://llm.example.com/v1", model: "m" };
    expect(() => apply(base, { llm: { custom } })).toThrow(expect.objectContaining({ code: "validation" }));
    const once = apply(base, { llm: { custom: { ...custom, api_key: "k" } } });
    const later = apply(once, { llm: { custom: { base_url: "https://llm.example.com/v2", model: "n" } } });
    expect(later.llm.custom).toEqual({
      base_url: "https://llm.example.com/v2",
      model: "n",
      api_key: once.llm.custom?.api_key,
    });
    expect(() => apply(once, { llm: { custom: { ...custom, base_url: "https://thief.example.net/v1" } } })).toThrow(
      expect.objectContaining({ code: "validation" }),
    );
    expect(apply(once, { llm: { custom: null, tier: "high" } }).llm).toEqual({ tier: "high", custom: null });
  });

  it("has either a tier or a model of one's own in effect: a tier removes the model, the model's removal returns to the tier", () => {
    const custom = { base_url: "https://llm.example.com/v1", model: "m", api_key: "k" };
    const chosen = apply(apply(base, { llm: { tier: "high" } }), { llm: { custom } });
    expect(chosen.llm).toEqual({ tier: "high", custom: { ...custom, api_key: expect.anything() } });
    expect(apply(chosen, { llm: { tier: "instant" } }).llm).toEqual({ tier: "instant", custom: null });
    expect(apply(chosen, { llm: { tier: "high" } }).llm).toEqual({ tier: "high", custom: null });
    expect(apply(chosen, { llm: { custom: null } }).llm).toEqual({ tier: "high", custom: null });
    for (const none of [{ llm: {} }, { llm: { tier: undefined } }]) expect(apply(chosen, none)).toEqual(chosen);
  });

  it("takes no tier beside a custom model, but for the one that was shown with it", () => {
    const custom = { base_url: "https://llm.example.com/v1", model: "m", api_key: "k" };
    const refused = expect.objectContaining({
      problems: [{ type: "value_error", loc: ["body", "llm", "custom"], msg: "tier and custom exclude each other" }],
    });
    for (const tier of ["medium", "high"]) expect(() => apply(base, { llm: { tier, custom } })).toThrow(refused);
    const chosen = apply(base, { llm: { custom } });
    expect(() => apply(chosen, { llm: { tier: "high", custom } })).toThrow(refused);
    expect(apply(chosen, { llm: { tier: "medium", custom: { ...custom, model: "n" } } }).llm).toEqual({
      tier: "medium",
      custom: { ...custom, model: "n", api_key: chosen.llm.custom?.api_key },
    });
  });

  it.each<[string, unknown[]]>([
    ["a new agent", []],
    [
      "one that calls out in its own way",
      [
        {
          conversation: {
            outbound: { amd_enabled: false, voicemail: { action: "leave_message", message: "Call us." } },
          },
        },
      ],
    ],
    [
      "one that hangs up on machines, but looks for them no more",
      [{ conversation: { outbound: { amd_enabled: false } } }],
    ],
    [
      "one with a summary of its own",
      [{ analysis: { summary: { prompt: "In one line." }, data_fields: [{ name: "a" }] } }],
    ],
    [
      "one with webhooks and a custom model",
      [
        { webhooks: { post_call: { url, secret: "s" }, conversation_init: { url } } },
        { llm: { tier: "high" } },
        { llm: { custom: { base_url: "https://llm.example.com", model: "m", api_key: "k" } } },
      ],
    ],
  ])("takes back every section of %s as it showed it, which changes nothing", (_, patches) => {
    const config = patches.reduce<AgentConfig>(apply, base);
    const {
      agent_id: _id,
      config_hash: hash,
      updated_at: _at,
      ...sections
    } = toConfigEntity({ agentId: "a", config, configHash: configHash(config), updatedAt: new Date(0) });
    const written = apply(config, JSON.parse(JSON.stringify(sections)));
    expect(written).toEqual(config);
    expect(configHash(written)).toBe(hash);
  });

  it("says how an agent calls out and sums up although nobody has said so", () => {
    const entity = toConfigEntity({ agentId: "a", config: base, configHash: configHash(base), updatedAt: new Date(0) });
    expect(entity.conversation.outbound).toEqual({ amd_enabled: true, voicemail: { action: "hangup", message: "" } });
    expect(entity.analysis.summary.prompt).toBe("");
    const message = apply(base, { conversation: { outbound: { voicemail: { message: "m" } } } });
    expect(apply(message, { conversation: { outbound: { voicemail: { message: "" } } } })).toEqual(base);
    expect(
      apply(apply(base, { analysis: { summary: { prompt: "p" } } }), { analysis: { summary: { prompt: "" } } }),
    ).toEqual(base);
  });

  it("shows no secret", () => {
    const full = apply(base, {
      webhooks: { post_call: [{ url, secret: "canary-1" }], conversation_init: { url, secret: "canary-2" } },
      llm: { custom: { base_url: "https://llm.example.com", model: "m", api_key: "canary-3" } },
    });
    const entity = toConfigEntity({ agentId: "a", config: full, configHash: configHash(full), updatedAt: new Date(0) });
    expect(JSON.stringify(entity)).not.toContain("canary");
    expect(entity.webhooks).toEqual({
      post_call: [{ url, has_secret: true }],
      conversation_init: { url, has_secret: true, timeout_seconds: 5 },
    });
    expect(entity.llm.custom).toEqual({ base_url: "https://llm.example.com", model: "m", api_key: null });
  });
});

describe("configPatch", () => {
  it.each([
    [{ prompt: null }, ["body", "prompt"], "dict_type"],
    [{ prompt: { system_prompt: null } }, ["body", "prompt", "system_prompt"], "string_type"],
    [{ tools: { tool_ids: null } }, ["body", "tools", "tool_ids"], "list_type"],
    [{ conversation: { outbound: null } }, ["body", "conversation", "outbound"], "dict_type"],
    [{ nonsense: 1 }, ["body", "nonsense"], "extra_forbidden"],
    [{ voice: { speaking_language: "tlh" } }, ["body", "voice", "speaking_language"], "literal_error"],
    [{ conversation: { timezone: "+05:30" } }, ["body", "conversation", "timezone"], "value_error"],
    [{ conversation: { timezone: "Europe/Atlantis" } }, ["body", "conversation", "timezone"], "value_error"],
    [
      { conversation: { max_duration_seconds: 59 } },
      ["body", "conversation", "max_duration_seconds"],
      "greater_than_equal",
    ],
    [
      { conversation: { transfer_destinations: [{ phone_number: "110" }] } },
      ["body", "conversation", "transfer_destinations", 0, "phone_number"],
      "string_pattern_mismatch",
    ],
    [
      { webhooks: { post_call: Array.from({ length: 6 }, (_, i) => ({ url: `${url}${i}` })) } },
      ["body", "webhooks", "post_call"],
      "too_long",
    ],
    [
      { webhooks: { post_call: [{ url: "https://a.example" }, { url: "https://A.example/" }] } },
      ["body", "webhooks", "post_call"],
      "value_error",
    ],
    [
      { webhooks: { post_call: [{ url, secret: "x".repeat(257) }] } },
      ["body", "webhooks", "post_call", 0, "secret"],
      "string_too_long",
    ],
    [
      { analysis: { data_fields: [{ name: "a", type: "enum", enum_options: ["x"] }] } },
      ["body", "analysis", "data_fields", 0, "enum_options"],
      "value_error",
    ],
    [
      { analysis: { criteria: [{ name: "Bad Name" }] } },
      ["body", "analysis", "criteria", 0, "name"],
      "string_pattern_mismatch",
    ],
    [
      { llm: { custom: { base_url: "http://a.example", model: "m", api_key: "k" } } },
      ["body", "llm", "custom", "base_url"],
      "value_error",
    ],
    [{ prompt: { system_prompt: "a\u0000" } }, ["body", "prompt", "system_prompt"], "value_error"],
    [{ prompt: { system_prompt: "\ud800" } }, ["body", "prompt", "system_prompt"], "value_error"],
    [JSON.parse('{"__proto__": {"a": 1}}'), ["body", "__proto__"], "extra_forbidden"],
  ])("refuses %j at %j", (patch, loc, type) => {
    expect(() => validate(configPatch, patch, ["body"])).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ loc, type })] }),
    );
  });

  it.each([
    "",
    "Europe/Berlin",
    "UTC",
    "Asia/Kolkata",
    "Etc/GMT+5",
    "US/Pacific",
  ])("takes the time zone %j", (timezone) => {
    validate(configPatch, { conversation: { timezone } }, ["body"]);
  });
});
