import type { HeardWord } from "#protocol/listening/chunk";
import type { HttpRequest } from "../http/exchange.js";
import { admitTranscription } from "../listening/caller.js";
import type { ListeningContext } from "../listening/context.js";
import { transcribeFile } from "../listening/transcribe-file.js";
import { textOf } from "../listening/transcript.js";

/** Shortest sound that a commit may hold, seconds: a word. */
const MIN_COMMITTED_SECONDS = 0.1;

/** A file of sound that a client has committed on a socket, or put into a message. */
export interface CommittedSound {
  audio: Uint8Array;
  language: string | null;
  signal: AbortSignal;
}

/** Writes down what is said in a sound. Throws the errors of admission and of `transcribeFile`. */
export type TranscribeSound = (sound: CommittedSound) => Promise<{ text: string; words: HeardWord[]; seconds: number }>;

/** Transcription for the caller of one request; he is admitted anew for every sound, since a socket lives for long. */
export function soundTranscriber(context: ListeningContext, route: string, request: HttpRequest): TranscribeSound {
  return async ({ audio, language, signal }) => {
    const caller = await admitTranscription(request, context);
    const result = await transcribeFile({ context, caller, route, audio, language: language ?? undefined, minSeconds: MIN_COMMITTED_SECONDS, signal });
    return { text: textOf(result.words), words: result.words, seconds: result.seconds };
  };
}
