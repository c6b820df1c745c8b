import { describe, expect, it } from "vitest";
import { agentConfig } from "#protocol/agents/config";
import { type SessionCreate, sessionCreate } from "#protocol/agents/session";
import { overridesOf, requireAllowed, withOverrides } from "./effective-config.js";

const config = agentConfig.parse({ prompt: { system_prompt: "Be kind." }, voice: { voice_id: "v" } });
const body = (fields: object): SessionCreate => sessionCreate.parse({ agent_id: "a", ...fields });
const apply = (fields: object) => withOverrides(config, overridesOf(body(fields)));

const all = ["first_message", "system_prompt", "voice_id", "language"] as const;
const judge = (fields: object, agent: Partial<Parameters<typeof requireAllowed>[2]> = {}): string => {
  const given = body(fields);
  try {
    requireAllowed(given, overridesOf(given), { overridesAllowed: all, isVisitor: false, isPreview: false, ...agent });
    return "allowed";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

describe("withOverrides", () => {
  it("leaves the configuration as it is where nothing is overridden", () => {
    expect(apply({})).toEqual(config);
    expect(apply({ overrides: null, language: null })).toEqual(config);
    expect(apply({ overrides: { voice_id: null, first_message: null } })).toEqual(config);
  });

  it.each([
    [{ overrides: { first_message: "Hi" } }, { first_message_mode: "fixed", first_message: "Hi" }],
    [{ overrides: { first_message: "" } }, { first_message_mode: "off", first_message: "" }],
    [{ overrides: { first_message_prompt: "Greet" } }, { first_message_mode: "prompt", first_message_prompt: "Greet" }],
    [{ overrides: { first_message_prompt: "" } }, { first_message_mode: "off", first_message_prompt: "" }],
    [{ overrides: { system_prompt: "Be brief." } }, { system_prompt: "Be brief." }],
    [{ overrides: { system_prompt: "" } }, { system_prompt: "" }],
  ])("changes the prompt by %j", (fields, prompt) => {
    expect(apply(fields).prompt).toEqual({ ...config.prompt, ...prompt });
  });

  it.each([
    [{ overrides: { voice_id: "w" } }, { voice_id: "w" }],
    [{ overrides: { voice_profile_id: "w" } }, { voice_id: "w" }],
    [{ overrides: { language: "de" } }, { speaking_language: "de" }],
    [{ language: "de" }, { speaking_language: "de" }],
    [{ language: "de", overrides: { language: "de" } }, { speaking_language: "de" }],
  ])("changes the voice by %j", (fields, voice) => {
    expect(apply(fields).voice).toEqual({ ...config.voice, ...voice });
  });

  it("refuses two languages", () => {
    expect(() => apply({ language: "de", overrides: { language: "fr" } })).toThrow("Validation failed");
  });
});

describe("requireAllowed", () => {
  it.each([
    [{ overrides: { first_message: "Hi" } }, "first_message"],
    [{ overrides: { first_message_prompt: "Hi" } }, "first_message"],
    [{ overrides: { system_prompt: "Hi" } }, "system_prompt"],
    [{ overrides: { voice_profile_id: "v" } }, "voice_id"],
    [{ language: "de" }, "language"],
    [{ language: "de", overrides: { voice_id: "v" } }, "voice_id, language"],
  ])("asks for the agent's leave for %j", (fields, names) => {
    expect(judge(fields)).toBe("allowed");
    expect(judge(fields, { overridesAllowed: [] })).toBe(`This agent does not allow sessions to override ${names}`);
  });

  it.each([
    [{ name: "n" }, "name"],
    [{ llm_extra_body: {} }, "llm_extra_body"],
    [{ overrides: { system_prompt: "x" } }, "overrides.system_prompt"],
    [{ overrides: { first_message_prompt: "x" } }, "overrides.first_message"],
  ])("asks a visitor for a key for %j", (fields, names) => {
    expect(judge(fields, { isVisitor: true })).toBe(`Only requests with an API key may set ${names}`);
    expect(judge(fields)).toBe("allowed");
  });

  it("lets a visitor choose voice and language, and not the draft", () => {
    expect(judge({ language: "de", overrides: { voice_id: "v" } }, { isVisitor: true })).toBe("allowed");
    expect(judge({ language: "de" }, { isVisitor: true, overridesAllowed: ["voice_id"] })).toMatch("language");
    expect(judge({}, { isVisitor: true, isPreview: true })).toBe("Only requests with an API key may set preview");
  });
});
