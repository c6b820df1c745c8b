import { combineTraits } from "#common/audio/voice/traits";
import { measureVoiceSample } from "#common/audio/voice/measure-sample";
import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";

/** What listening to samples tells. */
export interface VoiceMeasurement {
  traits: VoiceTraits;
  /** One for each sample. */
  durationsMs: number[];
}

/** Measures the samples of one voice. Throws `bad_reference_audio` for one that is silent, too short or not audio. */
export type MeasureVoice = (samples: Uint8Array[]) => Promise<VoiceMeasurement>;

/** Measures every sample on the decode threads, one after another, and combines what they tell. */
export const measureSamples: MeasureVoice = async (samples) => {
  const measured: { traits: VoiceTraits; durationMs: number }[] = [];
  for (const [position, bytes] of samples.entries()) {
    try {
      // Copied: a view would take the whole request body along to the thread.
      measured.push(await measureVoiceSample(new Uint8Array(bytes)));
    } catch (error) {
      throw samples.length > 1 ? naming(error, position) : error;
    }
  }
  return { traits: combineTraits(measured.map((sample) => sample.traits)), durationsMs: measured.map((sample) => sample.durationMs) };
};

/** Of several samples, tells which one is meant. */
function naming(error: unknown, position: number): unknown {
  if (!(error instanceof ServiceError) || error.code !== "bad_reference_audio") return error;
  const detail = `voices[${position}]: ${error.parameters["detail"]}`;
  return new ServiceError("bad_reference_audio", { parameters: { ...error.parameters, detail }, cause: error });
}
