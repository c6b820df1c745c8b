import { describe, expect, it } from "vitest";
import type { ServedModel } from "#protocol/bus/membership";
import { type ModelFolders, requireSpeech } from "./speech-capacity.js";

const model = (name: string, task: ServedModel["task"], languages: string[]): ServedModel => ({
  ...{ name, task, languages, sampleRate: 24_000, speakers: [], maxBatch: 1, provider: "cpu" },
});
const recognizer = model("asr", "transcribe", ["en", "de"]);
const voice = model("s2.1-pro", "speak", ["en-US", "fr"]);
const noFolders: ModelFolders = { PARLEY_MODEL_ALIASES: {}, PARLEY_MODEL_MAP: {} };

/** What is said of a conversation in a language where these models are loaded; "ok" where it may begin. */
function verdict(models: ServedModel[], language: string, folders = noFolders): string {
  try {
    requireSpeech((task) => models.filter((served) => served.task === task), folders, language);
    return "ok";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("a conversation", () => {
  it.each([
    ["en", [recognizer, voice], "ok"],
    ["en", [], "No worker serves the model transcribe-1 right now"],
    ["en", [voice], "No worker serves the model transcribe-1 right now"],
    ["en", [recognizer], "No worker serves the model s2.1-pro right now"],
    ["en", [recognizer, model("other", "speak", ["*"])], "No worker serves the model s2.1-pro right now"],
    ["de", [recognizer, voice], "No loaded voice knows the language de of this conversation"],
    ["fr", [recognizer, voice], "No loaded recognizer knows the language fr of this conversation"],
    ["fr", [model("asr", "transcribe", ["*"]), voice], "ok"],
    ["ja", [model("asr", "transcribe", ["*"]), model("s2.1-pro", "speak", ["*"])], "ok"],
  ])("in %s with %j: %s", (language, models, expected) => {
    expect(verdict(models, language)).toBe(expected);
  });

  it("is spoken by any of the folders that stand for the model", () => {
    const folders = { PARLEY_MODEL_ALIASES: {}, PARLEY_MODEL_MAP: { "s2.1-pro": "parley-en+espeak" } };
    const models = [recognizer, model("parley-en", "speak", ["en"]), model("espeak", "speak", ["de"])];
    expect(verdict(models, "de", folders)).toBe("ok");
    expect(verdict(models, "fr", folders)).toContain("recognizer");
  });
});
