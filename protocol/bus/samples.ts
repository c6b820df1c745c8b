import type { VoiceTraits } from "../speech/chunk.js";

/**
 * Questions about the samples of a voice. The control plane asks them and any edge answers (queue group `edge`):
 * decoders run in edges alone, in threads whose memory is limited. Answers are `Reply`s.
 */
export const sampleSubjects = { measure: "parley.samples.measure", transcribe: "parley.samples.transcribe" } as const;

/**
 * The errors of `measure` are `bad_reference_audio`, `overloaded` and `dependency_unavailable`; `transcribe` may give
 * any of the transcribing path.
 */
export interface SampleQuestion {
  /** The file as it was sent; empty where it is too large for the bus. */
  body: Uint8Array;
  /** Then its name in the `uploads` object bucket. Whoever asks has put it there and deletes it. */
  bodyObject: string | null;
  /** After so long nobody waits for the answer any more. */
  withinMs: number;
}

/** What was measured in a voice sample. */
export interface MeasuredSample {
  traits: VoiceTraits;
  durationMs: number;
  /** Its beginning as models that clone voices take it (voice-prompts.ts); absent from edges of the version before. */
  prompt?: Uint8Array;
}

/** What is said in a voice sample. */
export interface TranscribedSample {
  /** Empty where nothing is. */
  text: string;
  /**
   * Languages that the recognizer named, as primary BCP-47 subtags; none where it named none or recognized no words.
   */
  languages: string[];
}
