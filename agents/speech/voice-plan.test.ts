import { describe, expect, it } from "vitest";
import type { ResolvedVoice } from "#protocol/bus/control";
import type { ServedModel } from "#protocol/bus/membership";
import { testTraits } from "#audio/testing/voice-traits";
import { loadConfig } from "#common/config/config";
import { planOf } from "../testing/plan.js";
import { planVoice, type VoicePlan } from "./voice-plan.js";

const model = (name: string, sampleRate: number, clonesVoices: boolean): ServedModel => ({
  ...{ name, task: "speak", languages: ["en"], sampleRate, speakers: [], maxBatch: 1, provider: "cpu", clonesVoices },
});
const own = model("own", 22_050, false);
const cloning = model("cloning", 24_000, true);

function plan(voice: ResolvedVoice, served: ServedModel[]): Promise<VoicePlan> {
  return planVoice({
    plan: planOf({ config: { voice: { voice_id: voice.voiceId } } }),
    speech: {
      servedModels: (_folders, isFirst = () => true) => [
        ...served.filter(isFirst),
        ...served.filter((each) => !isFirst(each)),
      ],
    },
    savedVoices: { resolve: async () => [voice] },
    config: loadConfig({}),
    onVoiceMissing: () => undefined,
  });
}

describe("the voice of a conversation", () => {
  const anna: ResolvedVoice = { voiceId: "anna", traits: testTraits, hasPrompt: true };

  it("is the saved voice's recording where a model speaks in it, which then goes first", async () => {
    const { sampleRate, settings } = await plan(anna, [own, cloning]);
    expect(settings.voices).toMatchObject([{ traits: testTraits, prompt: { source: "library", id: "anna" } }]);
    expect([sampleRate, settings.sampleRate, settings.models.map(({ name }) => name)]).toEqual([
      24_000,
      24_000,
      ["cloning", "own"],
    ]);
  });

  it("is a speaker of a model by the name, and that model goes first", async () => {
    const named = { ...cloning, speakers: ["zoe"] };
    const { settings, voiceIds } = await plan({ voiceId: "zoe", traits: null }, [own, named]);
    expect(settings.voices).toMatchObject([{ speaker: "zoe", speakerModel: "cloning", traits: null }]);
    expect([settings.models.map(({ name }) => name), voiceIds]).toEqual([["cloning", "own"], []]);
  });

  it("is what was measured of it elsewhere", async () => {
    const { hasPrompt: _, ...earlier } = anna;
    for (const { settings, sampleRate } of [await plan(anna, [own]), await plan(earlier, [own, cloning])]) {
      expect(settings.voices[0]?.traits).toEqual(testTraits);
      expect([settings.voices[0]?.prompt, sampleRate]).toEqual([undefined, 22_050]);
    }
  });
});
