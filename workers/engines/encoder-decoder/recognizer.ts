import type { RecognizedWord } from "#protocol/transcription/chunk";
import { ModelProblem } from "../../repository/folder.js";
import { type Graph, openGraph } from "../onnx/runtime.js";

/** A model of an encoder of audio and a decoder of text, opened. */
export interface EncoderDecoder {
  provider: string;
  refused: { provider: string; reason: string }[];
  /** Language codes that may be named. */
  languages: string[];
  /**
   * Words of one piece of at most 30 s, or null once `stopped` says that nobody wants them. Without a language it is
   * told from the audio, where the model can.
   */
  recognize(samples: Int16Array, language: string | null, stopped: () => boolean): Promise<Recognized | null>;
}

/** What was said, and in which language. */
export interface Recognized {
  words: RecognizedWord[];
  language: string;
}

/** Opens one of the graphs. Rejects with a `ModelProblem`. */
export async function openPart(part: string, path: string, providers: readonly string[]): Promise<Graph> {
  return await openGraph(path, providers).catch((cause: unknown) => {
    throw new ModelProblem(`the ${part} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  });
}
