import { describe, expect, it } from "vitest";
import {
  controlSubjects,
  type ResolvedVoice,
  type ResolveVoicesRequest,
  voiceChangedSubject,
} from "#protocol/bus/control";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { VoiceSettings } from "#protocol/speech/chunk";
import { type SpeechRequest, speechRequest } from "#protocol/speech/request";
import { VirtualClock } from "#common/clock";
import { sha256Hex } from "#common/identifier";
import { LocalBus } from "#common/bus/testing/local-bus";
import { samplesToBytes } from "#audio/pcm";
import { testTraits } from "#audio/testing/voice-traits";
import { castVoices, modelsFirst } from "./cast.js";
import { InlineVoices } from "./inline-voices.js";
import { SavedVoices } from "./saved-voices.js";

const servedModel: ServedModel = {
  ...{
    name: "own",
    task: "speak",
    languages: ["en"],
    sampleRate: 22_050,
    speakers: ["zoe"],
    maxBatch: 1,
    provider: "cpu",
  },
};

function library(voices: Record<string, ResolvedVoice>) {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const asked: string[][] = [];
  bus.respond<ResolveVoicesRequest, object>(controlSubjects.resolveVoices, async ({ teamId, voiceIds }) => {
    asked.push(voiceIds);
    return {
      ok: true,
      value: { voices: voiceIds.map((voiceId) => (teamId === "team" ? (voices[voiceId] ?? null) : null)) },
    };
  });
  const saved = new SavedVoices(bus, clock);
  const measured: number[] = [];
  const inline = new InlineVoices(
    async (bytes) => {
      measured.push(bytes[0] ?? -1);
      if (bytes[0] === 0) throw new ServiceError("bad_reference_audio", { parameters: { detail: "silent" } });
      return {
        traits: { ...testTraits, pitchHz: 100 + (bytes[0] ?? 0) },
        prompt: samplesToBytes(Int16Array.of(bytes[0] ?? 0, 1)),
      };
    },
    (list) => ({ ...testTraits, pitchHz: list.reduce((sum, traits) => sum + traits.pitchHz, 0) / list.length }),
  );
  const cast = (fields: Partial<SpeechRequest>, teamId = "team", clonesVoices = false) => {
    const models = [{ ...servedModel, clonesVoices }];
    return castVoices({ request: speechRequest.parse({ text: "Hi", ...fields }), teamId, saved, inline, models });
  };
  return { bus, clock, asked, measured, cast };
}

const sample = (byte: number): { audio: Uint8Array; text: string } => ({ audio: Uint8Array.of(byte), text: "" });
const anna: ResolvedVoice = { voiceId: "anna", traits: { ...testTraits, pitchHz: 210 } };
const bert: ResolvedVoice = { voiceId: "bert", traits: null };

describe("the voices of a request", () => {
  it("are the model's own when none is named", async () => {
    const { cast, asked } = library({});
    for (const fields of [
      {},
      { reference_id: "" },
      { reference_id: [] },
      { references: [] },
      { reference_id: undefined },
    ]) {
      expect(await cast({ ...fields, prosody: { speed: 1.5 } })).toEqual({
        voices: [{ speaker: null, language: null, speed: 1.5, traits: null }],
        voiceIds: [],
        prompts: new Map(),
      });
    }
    expect(asked).toEqual([]);
  });

  it("are saved ones, one per speaker, and win over samples", async () => {
    const { cast, measured } = library({ anna, bert });
    const { voices, voiceIds } = await cast({ reference_id: ["anna", "bert", "anna"], references: [sample(1)] });
    expect(voices.map((voice) => voice.traits?.pitchHz)).toEqual([210, undefined, 210]);
    expect(voiceIds).toEqual(["anna", "bert", "anna"]);
    expect(measured).toEqual([]);
  });

  it("are speakers of the models by their names, alone and among saved ones", async () => {
    const { cast, asked } = library({ anna });
    const { voices, voiceIds } = await cast({
      reference_id: ["zoe", "anna", "own:zoe", "own"],
      prosody: { speed: 1.5 },
    });
    expect(voices).toMatchObject([
      { speaker: "zoe", speakerModel: "own", traits: null, speed: 1.5 },
      { speaker: null, traits: { pitchHz: 210 } },
      { speaker: "zoe", speakerModel: "own" },
      { speaker: null, speakerModel: "own", traits: null },
    ]);
    expect(voices[1]).not.toHaveProperty("speakerModel");
    expect([voiceIds, asked]).toEqual([["anna"], [["anna"]]]);
    expect((await cast({ reference_id: "zoe" }, "others")).voices).toMatchObject([{ speaker: "zoe" }]);
    expect(asked).toHaveLength(1);
  });

  it("let a stream prefer the models that speak in a recording, or the one whose speaker is named first", () => {
    const voice = { speaker: null, language: null, speed: 1, traits: null };
    const prompt = { source: "library", id: "anna" } as const;
    const first = (...voices: VoiceSettings[]) =>
      [servedModel, { ...servedModel, name: "other", clonesVoices: true }]
        .filter(modelsFirst(voices) ?? (() => false))
        .map(({ name }) => name);
    expect(first(voice)).toEqual([]);
    expect(first({ ...voice, speaker: "zoe", speakerModel: "own" })).toEqual(["own"]);
    expect(first(voice, { ...voice, speakerModel: "own" })).toEqual([]);
    expect(first({ ...voice, speakerModel: "own" }, { ...voice, prompt })).toEqual(["other"]);
  });

  it("are refused when the team may not use one", async () => {
    const { cast } = library({ anna });
    await expect(cast({ reference_id: "bert" })).rejects.toMatchObject({ code: "unknown_reference" });
    await expect(cast({ reference_id: "anna" }, "others")).rejects.toMatchObject({ code: "unknown_reference" });
  });

  it("are measured samples: a flat list is one speaker, a list of lists several", async () => {
    const { cast, measured } = library({});
    expect((await cast({ references: [sample(10), sample(20)] })).voices.map((voice) => voice.traits?.pitchHz)).toEqual(
      [115],
    );
    expect(
      (await cast({ references: [[sample(10)], [sample(20), sample(30)]] })).voices.map(
        (voice) => voice.traits?.pitchHz,
      ),
    ).toEqual([110, 125]);
    expect(measured).toEqual([10, 20, 30]);
  });

  it("are refused when a sample cannot be used or a speaker has none", async () => {
    const { cast } = library({});
    await expect(cast({ references: [sample(0)] })).rejects.toMatchObject({ code: "bad_reference_audio" });
    await expect(cast({ references: [[sample(1)], []] })).rejects.toMatchObject({ code: "bad_reference_audio" });
  });
});

describe("the recordings of voices, where a model speaks in them", () => {
  it("are named by the voices, and those of the request come along", async () => {
    const { cast, measured } = library({});
    const digest = (...bytes: number[]): string =>
      sha256Hex(bytes.map((byte) => sha256Hex(Uint8Array.of(byte))).join("\n"));
    const { voices, prompts } = await cast({ references: [[sample(10)], [sample(20), sample(30)]] }, "team", true);
    expect(voices.map(({ prompt }) => prompt)).toEqual([
      { source: "stream", id: digest(10) },
      { source: "stream", id: digest(20, 30) },
    ]);
    expect([...prompts]).toEqual([
      [digest(10), Int16Array.of(10, 1)],
      [digest(20, 30), Int16Array.of(20, 1, 30, 1)],
    ]);
    const again = await cast({ references: [sample(10)] }, "team", true);
    expect(again.prompts.get(digest(10))).toBe(prompts.get(digest(10)));
    expect(measured).toEqual([10, 20, 30]);
  });

  it("stay in the library for saved voices, if it has them", async () => {
    const { cast } = library({ anna: { ...anna, hasPrompt: true }, bert });
    const { voices, prompts } = await cast({ reference_id: ["anna", "bert"] }, "team", true);
    expect(voices.map(({ prompt }) => prompt)).toEqual([{ source: "library", id: "anna" }, undefined]);
    expect([...prompts]).toEqual([]);
  });

  it("are nobody's where no model speaks in them", async () => {
    const { cast } = library({ anna: { ...anna, hasPrompt: true } });
    for (const fields of [{ reference_id: "anna" }, { references: [sample(10)] }]) {
      const { voices, prompts } = await cast(fields);
      expect([voices.map((voice) => "prompt" in voice), prompts.size]).toEqual([[false], 0]);
    }
  });
});

describe("saved voices", () => {
  it("are remembered for thirty seconds, per team, and missing ones not at all", async () => {
    const { cast, asked, clock } = library({ anna });
    await cast({ reference_id: "anna" });
    await cast({ reference_id: "anna" });
    expect(asked).toHaveLength(1);
    await expect(cast({ reference_id: "anna" }, "others")).rejects.toThrow();
    await expect(cast({ reference_id: "carl" })).rejects.toThrow();
    await expect(cast({ reference_id: "carl" })).rejects.toThrow();
    expect(asked).toHaveLength(4);
    clock.advance(30_001);
    await cast({ reference_id: "anna" });
    expect(asked).toHaveLength(5);
  });

  it("are forgotten when they change and after an interruption of the bus", async () => {
    const { cast, asked, bus } = library({ anna });
    await cast({ reference_id: "anna" });
    bus.publish(voiceChangedSubject, { voiceId: "anna" });
    await cast({ reference_id: "anna" });
    bus.reconnect();
    await cast({ reference_id: "anna" });
    expect(asked).toHaveLength(3);
  });

  it("say so when the library cannot be reached or refuses", async () => {
    const bus = new LocalBus();
    const saved = new SavedVoices(bus, new VirtualClock());
    await expect(saved.resolve("team", ["anna"])).rejects.toMatchObject({ code: "dependency_unavailable" });
    bus.respond(controlSubjects.resolveVoices, async () => ({
      ok: false,
      error: toErrorRecord(new ServiceError("draining")),
    }));
    await expect(saved.resolve("team", ["anna"])).rejects.toMatchObject({ code: "draining" });
  });
});
