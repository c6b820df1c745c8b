import type { Logger } from "#common/log";
import type { TranscribedSample } from "#protocol/bus/samples";
import { ServiceError } from "#protocol/errors";
import type { SampleQuestions } from "./sample-questions.js";

/**
 * Transcribes each sample, in order; the text is empty where that fails. Never fails itself: a voice is a voice without
 * transcripts.
 */
export type TranscribeVoice = (samples: Uint8Array[]) => Promise<TranscribedSample[]>;

/** Whoever makes a voice waits, at most this long: half of what the edge waits for an answer. */
const DEADLINE_MS = 15_000;

/**
 * Has the samples transcribed by the edges, all at once. Those that were not in time stay without a text, and the log
 * says why.
 */
export function transcribeSamples(edges: Pick<SampleQuestions, "transcribe">, log: Logger): TranscribeVoice {
  return (samples) =>
    Promise.all(
      samples.map(async (bytes) => {
        try {
          return await edges.transcribe(bytes, DEADLINE_MS);
        } catch (error) {
          log.warn(reasonOf(error), "a voice's sample was not transcribed");
          return { text: "", languages: [] };
        }
      }),
    );
}

/** Where no recognizer is loaded, nothing is broken: the reason is enough, without a stack. */
function reasonOf(error: unknown): object {
  return error instanceof ServiceError && error.code !== "internal"
    ? { code: error.code, refusal: error.message }
    : { err: error };
}
