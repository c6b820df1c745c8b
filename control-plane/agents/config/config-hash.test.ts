import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AgentConfig, agentConfig } from "#protocol/agents/config";
import { canonicalJson } from "./canonical-json.js";
import type { Attachments } from "../attachables.js";
import { configHash as hashOf } from "./config-hash.js";

const noAttachments: Attachments = { tools: [], knowledge: [] };

/** The same value with its keys in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

describe("canonicalJson", () => {
  it("gives the RFC's order, numbers and escapes", () => {
    expect(canonicalJson({ "\u20ac": "x", "\r": 1, a: [1e30, 4.5, 0.002, null], "1": "\u000f" })).toBe(
      '{"\\r":1,"1":"\\u000f","a":[1e+30,4.5,0.002,null],"\u20ac":"x"}',
    );
  });

  it("is valid JSON of the same value, whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
        expect(canonicalJson(shuffled(plain))).toBe(canonicalJson(plain));
      }),
    );
  });
});

describe("configHash", () => {
  const configHash = (config: AgentConfig): string => hashOf(config, noAttachments);
  const base = agentConfig.parse({});
  const withSecret = (sealed: string, revision: string) =>
    configHash(
      agentConfig.parse({ webhooks: { post_call: [{ url: "https://example.com", secret: { sealed, revision } }] } }),
    );

  it("looks like the documented ones, and differs where the content does", () => {
    expect(configHash(base)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(configHash(agentConfig.parse(shuffled(base)))).toBe(configHash(base));
    expect(configHash(agentConfig.parse({ prompt: { system_prompt: "x" } }))).not.toBe(configHash(base));
  });

  it("follows what is attached", () => {
    expect(hashOf(base, { ...noAttachments, tools: [{ id: "t", name: "a" }] })).not.toBe(
      hashOf(base, { ...noAttachments, tools: [{ id: "t", name: "b" }] }),
    );
  });

  it("follows a secret's revision, not its encryption", () => {
    expect(withSecret("one", "r")).toBe(withSecret("two", "r"));
    expect(withSecret("one", "r")).not.toBe(withSecret("one", "s"));
  });
});
