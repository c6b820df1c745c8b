import { bytesToSamples, samplesToBytes } from "#audio/pcm";
import { joinPrompts } from "#audio/voice/prompt";
import { combineTraits } from "#audio/voice/traits";
import type { MeasuredSample } from "#protocol/bus/samples";
import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import type { SampleQuestions } from "./sample-questions.js";

/** What measuring samples gives. */
export interface VoiceMeasurement {
  traits: VoiceTraits;
  /** One for each sample. */
  durationsMs: number[];
  /** What models that clone voices take of the samples, as `SavedPrompt` has it; empty where edges gave none. */
  prompt: Uint8Array;
}

/** Measures the samples of one voice. Throws `bad_reference_audio` for one that is silent, too short or not audio. */
export type MeasureVoice = (samples: Uint8Array[]) => Promise<VoiceMeasurement>;

/** Less than the edge that forwarded the request waits for its answer. */
const DEADLINE_MS = 25_000;

/** Has every sample measured by an edge, one after another, and combines the results. */
export function measureSamples(edges: Pick<SampleQuestions, "measure">): MeasureVoice {
  return async (samples) => {
    const measured: MeasuredSample[] = [];
    for (const [position, bytes] of samples.entries()) {
      try {
        measured.push(await edges.measure(bytes, DEADLINE_MS));
      } catch (error) {
        throw samples.length > 1 ? naming(error, position) : error;
      }
    }
    return {
      traits: combineTraits(measured.map((sample) => sample.traits)),
      durationsMs: measured.map((sample) => sample.durationMs),
      prompt: samplesToBytes(joinPrompts(measured.map(({ prompt }) => bytesToSamples(prompt ?? new Uint8Array(0))))),
    };
  };
}

/** Names the sample that is meant, where there are several. */
function naming(error: unknown, position: number): unknown {
  if (!(error instanceof ServiceError) || error.code !== "bad_reference_audio") return error;
  const detail = `voices[${position}]: ${error.parameters["detail"]}`;
  return new ServiceError("bad_reference_audio", { parameters: { ...error.parameters, detail }, cause: error });
}
