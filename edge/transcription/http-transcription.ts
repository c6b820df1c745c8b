import type { HttpRequest, HttpResponder } from "../http/exchange.js";
import { admitTranscription } from "./caller.js";
import type { TranscriptionContext } from "./context.js";
import { meteredRequest } from "./metered-request.js";
import { UploadPace } from "./upload-pace.js";
import { transcriptionKind } from "./transcription-kind.js";
import { type FileTranscript, transcribeFile } from "./transcribe-file.js";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { NumberForm } from "#protocol/transcription/request";

/** The engine reads up to ten times half a megabyte from a connection before it looks whether it was asked to stop. */
const UNASKED_BYTES = 5.5 * 1024 * 1024;

/** What a body asks for, whatever else it says. */
export interface AskedTranscription {
  audio: Uint8Array;
  language?: string | undefined;
  keyterms?: readonly string[] | undefined;
  numbers?: NumberForm | undefined;
}

export interface HttpTranscription<Asked extends AskedTranscription> {
  context: TranscriptionContext;
  /** As usage and metrics name it. */
  route: string;
  request: HttpRequest;
  responder: HttpResponder;
  maxBodyBytes: number;
  /** Shortest audio that is taken, seconds; `MIN_TRANSCRIBED_SECONDS` when absent. */
  minSeconds?: number;
  /** Reads and checks the body. */
  read(request: HttpRequest): Promise<Asked>;
  /** Called with the words in the order of the audio, as soon as all before them are known. */
  onWords?: (words: readonly RecognizedWord[], asked: Asked) => void;
  answer(result: FileTranscript, asked: Asked): void;
}

/**
 * The way of an HTTP transcription: admission, room for the upload, body, words. A client that goes away ends all work.
 * Throws the errors of admission, of the body, and of `transcribeFile`.
 */
export async function transcribeOverHttp<Asked extends AskedTranscription>(
  options: HttpTranscription<Asked>,
): Promise<void> {
  const { context, route, request, responder } = options;
  const caller = await admitTranscription(request, context);
  // Nobody uploads twenty megabytes to learn that there is no recognizer.
  const kind = transcriptionKind(context);
  context.overload.check(kind);
  const signal = responder.closed;
  const leaveTeam = context.teamSlots.take(caller.principal);
  try {
    const { teamId } = caller.principal;
    const expectedBytes = expectedBodyBytes(request, options.maxBodyBytes);
    // Asked for before there is room: until then the client is held up, however slowly it sends.
    const body = request.stream();
    const account = await context.uploads.open({
      teamId,
      expectedBytes,
      unaskedBytes: Math.min(expectedBytes, UNASKED_BYTES),
      signal,
    });
    try {
      const pace = new UploadPace(context.config.PARLEY_UPLOAD_MIN_RATE, context.clock);
      const asked = await options.read(meteredRequest(request, { body, account, pace }));
      const { audio, language, keyterms, numbers } = asked;
      account.complete(audio.byteLength);
      const onWords =
        options.onWords === undefined
          ? undefined
          : (words: readonly RecognizedWord[]) => options.onWords?.(words, asked);
      const result = await transcribeFile({
        context,
        caller,
        route,
        audio,
        language,
        keyterms,
        numbers,
        minSeconds: options.minSeconds,
        signal,
        onWords,
      }).catch((error: unknown) => {
        context.overload.note(kind, error);
        throw error;
      });
      if (!signal.aborted) options.answer(result, asked);
    } finally {
      account.close();
    }
  } finally {
    leaveTeam();
  }
}

/** Length of a request's body as its head says, or the most that is taken. */
function expectedBodyBytes(request: HttpRequest, maxBodyBytes: number): number {
  const announced = Number(request.header("content-length") ?? Number.NaN);
  return announced >= 0 && announced < maxBodyBytes ? announced : maxBodyBytes;
}
