import { createHash } from "node:crypto";
import type { VoiceSettings } from "#protocol/speech/chunk";
import { speechDefaults, type SpeechRequest } from "#protocol/speech/request";
import { samplingOf } from "./sampling.js";

/**
 * A digest of what makes a request's audio: model, voices and sampling. Equal requests have equal digests on every
 * edge.
 */
export function seedBase(model: string, voices: VoiceSettings[], request: SpeechRequest): string {
  const { temperature, topP, repetitionPenalty } = samplingOf(request);
  const sampling = [temperature, topP, repetitionPenalty, request.normalize ?? speechDefaults.normalize];
  const settings = voices.map((voice) => [
    voice.speaker,
    voice.language,
    voice.speed,
    traitNumbers(voice),
    ...(voice.prompt === undefined ? [] : [voice.prompt.id]),
    ...(voice.speakerModel === undefined ? [] : [voice.speakerModel]),
  ]);
  return createHash("sha256")
    .update(JSON.stringify([model, settings, sampling]))
    .digest("hex");
}

function traitNumbers(voice: VoiceSettings): number[] | null {
  const { traits } = voice;
  return traits === null
    ? null
    : [traits.pitchHz, traits.pitchRangeSemitones, traits.syllablesPerSecond, traits.spectralTiltDbPerOctave];
}

/** The 32-bit seed of a chunk (docs/architecture.md "Decisions"): the same for every attempt. */
export function chunkSeed(base: string, chunkIndex: number, text: string): number {
  return createHash("sha256").update(`${base}\n${chunkIndex}\n${text}`).digest().readUInt32LE(0);
}
