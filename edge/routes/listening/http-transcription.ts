import type { HttpRequest, HttpResponder } from "../../http/exchange.js";
import { admitTranscription } from "../../listening/caller.js";
import type { ListeningContext } from "../../listening/context.js";
import { chooseRecognizer } from "#common/listening/recognizer";
import { type FileTranscript, transcribeFile } from "../../listening/transcribe-file.js";
import type { HeardWord } from "#protocol/listening/chunk";

/** What a body asks for, whatever else it says. */
export interface AskedTranscription {
  audio: Uint8Array;
  language?: string | undefined;
}

export interface HttpTranscription<Asked extends AskedTranscription> {
  context: ListeningContext;
  /** As usage and metrics name it. */
  route: string;
  request: HttpRequest;
  responder: HttpResponder;
  maxBodyBytes: number;
  /** Reads and checks the body. */
  read(request: HttpRequest): Promise<Asked>;
  /** Told of the words in the order of the sound, as soon as all before them are known. */
  onWords?: (words: readonly HeardWord[], asked: Asked) => void;
  answer(result: FileTranscript, asked: Asked): void;
}

/**
 * The way of an HTTP transcription: admission, room for the upload, body, words. A client that goes away ends all work. Throws the errors of
 * admission, of the body, and of `transcribeFile`.
 */
export async function transcribeOverHttp<Asked extends AskedTranscription>(options: HttpTranscription<Asked>): Promise<void> {
  const { context, route, request, responder } = options;
  const caller = await admitTranscription(request, context);
  // Nobody uploads twenty megabytes to learn that there is no recognizer.
  const kind = `listen ${chooseRecognizer(context.sound.served("listen"), undefined, context.config).folder}`;
  context.overload.check(kind);
  const signal = responder.closed;
  const leaveTeam = context.teamSlots.take(caller.principal);
  try {
    const freeMemory = await context.uploads.take(uploadBytes(request, options.maxBodyBytes), signal);
    try {
      const asked = await options.read(request);
      const { audio, language } = asked;
      const onWords = options.onWords === undefined ? undefined : (words: readonly HeardWord[]) => options.onWords?.(words, asked);
      const result = await transcribeFile({ context, caller, route, audio, language, signal, onWords }).catch((error: unknown) => {
        context.overload.note(kind, error);
        throw error;
      });
      if (!signal.aborted) options.answer(result, asked);
    } finally {
      freeMemory();
    }
  } finally {
    leaveTeam();
  }
}

/** Memory that a request's upload may take, by what its head says. */
function uploadBytes(request: HttpRequest, maxBodyBytes: number): number {
  const announced = Number(request.header("content-length") ?? Number.NaN);
  return announced >= 0 && announced < maxBodyBytes ? announced : maxBodyBytes;
}
