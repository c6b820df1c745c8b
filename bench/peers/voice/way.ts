import type { Utterance } from "./symbols.js";

/** Audio whose arrival counts as the first of a sentence, milliseconds. */
export const FIRST_AUDIO_MS = 100;

/** One utterance, spoken. */
export interface Speech {
  /** From the asking to the arrival of the first `FIRST_AUDIO_MS` of samples. */
  firstMs: number;
  /** From the asking to the last sample. */
  totalMs: number;
  audioMs: number;
}

/** One way to speak with the model. */
export interface VoiceClient {
  name: string;
  speak(utterance: Utterance): Promise<Speech>;
  /** The audio of an utterance, samples of 16 bits at `sampleRate`. */
  record(utterance: Utterance): Promise<Int16Array>;
  sampleRate: number;
  /** Processor seconds that it has used so far. */
  processorSeconds(): number;
  stop(): Promise<void>;
}

/** What a `LineProgram` that speaks in its own process is asked. */
export interface SpeakQuestion extends Utterance {
  /** Whether the audio itself is wanted, to be compared. */
  keep: boolean;
}

/** What it answers. */
export interface SpeakAnswer extends Speech {
  /** Base64 of little-endian samples of 16 bits. */
  audio: string | null;
}
