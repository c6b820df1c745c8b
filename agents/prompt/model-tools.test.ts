import { describe, expect, it } from "vitest";
import { planOf, toolOf } from "../testing/plan.js";
import { dialogueSettingsOf } from "./dialogue-settings.js";
import { modelTools } from "./model-tools.js";

const tools = [
  toolOf("Look up an order", {
    description: "Finds an order.",
    arguments: [
      { name: "order", description: "Its number" },
      { name: "count", description: "" },
    ],
    body_template: '{"order": "{{order}}", "count": {{count}}}',
  }),
  toolOf("open_page", { expects_response: false }, { toolType: "client" }),
  toolOf("pick", {}, { toolType: "client" }),
  toolOf("look-up", { method: "GET", execution_mode: "background" }),
  toolOf("hang up call", { execution_mode: "fire_and_forget" }),
];
const plan = planOf({ tools, config: { tools: { system_tools: { hang_up_call: true } } } });

describe("modelTools", () => {
  it("gives each tool its function name, its description and a schema of its arguments", () => {
    expect(modelTools(plan)[1]).toEqual({
      name: "Look_up_an_order",
      description: "Finds an order.",
      parameters: {
        type: "object",
        properties: {
          order: { type: "string", description: "Its number" },
          count: { type: ["string", "number", "boolean"], description: "" },
        },
        required: ["order", "count"],
      },
    });
    expect(modelTools(plan)[2]).toMatchObject({ name: "open_page", description: "open_page" });
  });

  it("has the system tool only where it is on, and no other tool under its name", () => {
    const names = ["Look_up_an_order", "open_page", "pick", "look-up"];
    expect(modelTools(plan).map(({ name }) => name)).toEqual(["hang_up_call", ...names, "hang_up_call_2"]);
    expect(modelTools(planOf({ tools })).map(({ name }) => name)).toEqual([...names, "hang_up_call"]);
  });

  it("gives none where tools are switched off", () => {
    const off = { ...plan, config: { ...plan.config, tools: { ...plan.config.tools, enabled: false } } };
    expect(modelTools(off)).toEqual([]);
    expect(dialogueSettingsOf(off).tools.size).toBe(0);
  });
});

describe("dialogueSettingsOf", () => {
  it("gives each tool its mode, who runs it, and whether it may run twice", () => {
    expect(Object.fromEntries(dialogueSettingsOf(plan).tools)).toEqual({
      hang_up_call: { mode: "blocking", source: "builtin", isRepeatable: true },
      Look_up_an_order: { mode: "blocking", source: "webhook", isRepeatable: false },
      open_page: { mode: "fire_and_forget", source: "client", isRepeatable: false },
      pick: { mode: "blocking", source: "client", isRepeatable: false },
      "look-up": { mode: "background", source: "webhook", isRepeatable: true },
      hang_up_call_2: { mode: "fire_and_forget", source: "webhook", isRepeatable: false },
    });
  });

  it("carries every field of the conversation", () => {
    const conversation = {
      eagerness: "eager" as const,
      interruptible: false,
      interruption_sensitivity: "high" as const,
      reengage_enabled: true,
      hangup_after_seconds: 25,
      hangup_farewell_enabled: true,
    };
    const settings = dialogueSettingsOf(
      planOf({ maxDurationMs: 90_000, config: { conversation, voice: { speaking_language: "fr" } } }),
    );
    expect(settings).toMatchObject({
      eagerness: "eager",
      isInterruptible: false,
      interruptionSensitivity: "high",
      reengages: true,
      hangUpAfterMs: 25_000,
      saysFarewell: true,
      language: "fr",
      maxDurationMs: 90_000,
    });
    expect(dialogueSettingsOf(planOf())).toMatchObject({
      ...{ eagerness: "balanced", isInterruptible: true, reengages: false, hangUpAfterMs: 60_000, saysFarewell: false },
    });
  });

  it.each([
    [{ first_message_mode: "off" }, { mode: "off" }],
    [
      { first_message_mode: "fixed", first_message: "Hi {{name}}." },
      { mode: "fixed", text: "Hi Grace." },
    ],
    [{ first_message_mode: "fixed", first_message: " " }, { mode: "off" }],
    [
      { first_message_mode: "prompt", first_message_prompt: "Greet {{name}}." },
      { mode: "prompt", instruction: "Greet Grace." },
    ],
    [{ first_message_mode: "prompt", first_message_prompt: "" }, { mode: "off" }],
  ] as const)("of %j begins with %j", (prompt, firstMessage) => {
    const settings = dialogueSettingsOf(planOf({ config: { prompt }, dynamicVariables: { name: "Grace" } }));
    expect(settings.firstMessage).toEqual(firstMessage);
  });
});
