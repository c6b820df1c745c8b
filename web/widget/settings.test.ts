import { describe, expect, it } from "vitest";
import { readSettings, type WidgetSettings } from "./settings.js";
import { de } from "./words/de.js";
import { en } from "./words/en.js";

const defaults = { serverUrl: "https://voice.example/", languages: ["en-GB"] };
const read = (
  attributes: Record<string, string>,
  given = defaults as Parameters<typeof readSettings>[1],
): WidgetSettings => readSettings((name) => attributes[name] ?? null, given);

describe("the widget's settings", () => {
  it("need an agent and nothing else", () => {
    expect(read({ "agent-id": "a" })).toEqual({
      agentId: "a",
      serverUrl: "https://voice.example/",
      position: "bottom-right",
      colour: null,
      avatar: null,
      agentName: null,
      language: "en",
      words: en,
      dynamicVariables: undefined,
      endUserId: undefined,
      metadata: undefined,
      problems: [],
    });
  });

  it("come from the attributes", () => {
    const settings = read({
      "agent-id": "a",
      "server-url": "http://127.0.0.1:8080",
      "agent-name": "Ada",
      position: "inline",
      colour: "rebeccapurple",
      lang: "de",
      labels: '{"start": "Los", "busy": "Gleich"}',
      "dynamic-variables": '{"name": "Eva", "age": 3}',
      "end-user-id": "u",
      metadata: '{"page": {"of": 1}}',
    });
    expect(settings).toMatchObject({
      serverUrl: "http://127.0.0.1:8080",
      position: "inline",
      agentName: "Ada",
      language: "de",
      dynamicVariables: { name: "Eva", age: 3 },
      endUserId: "u",
      metadata: { page: { of: 1 } },
      problems: [],
    });
    expect(settings.words).toEqual({ ...de, start: "Los", failures: { ...de.failures, busy: "Gleich" } });
  });

  it("name what cannot be used, and do without it", () => {
    const wrong = {
      position: "middle",
      labels: '{"begin": "Go", "end": 1, "toString": "a"}',
      metadata: "[1]",
      "dynamic-variables": "{",
    };
    const settings = read(wrong, { ...defaults, serverUrl: null });
    expect(settings.problems).toEqual([
      "agent-id is missing",
      "server-url is missing, or no address",
      "position is none of bottom-right, bottom-left, top-right, top-left, inline",
      "labels has no begin",
      "labels has no end",
      "labels has no toString",
      "dynamic-variables is no JSON object",
      "metadata is no JSON object",
    ]);
    expect(settings).toMatchObject({ position: "bottom-right", words: en, metadata: undefined });
  });
});
