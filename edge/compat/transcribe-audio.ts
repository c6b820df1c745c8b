import { MIN_COMPAT_AUDIO_SECONDS } from "#protocol/compat/openai-transcription";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { HttpRequest } from "../http/exchange.js";
import { admitTranscriber, type TranscriptionCaller } from "../transcription/caller.js";
import type { TranscriptionContext } from "../transcription/context.js";
import { transcribeFile } from "../transcription/transcribe-file.js";
import { transcribeLive } from "../transcription/transcribe-live.js";
import { transcriptionKind } from "../transcription/transcription-kind.js";
import { textOf } from "#transcription/transcript";

/** What was said. */
export interface AudioTranscript {
  text: string;
  words: RecognizedWord[];
  seconds: number;
}

/** A file of audio that a client has committed on a socket, or put into a message. */
export interface CommittedFile {
  /** How long the file is, and what makes it: called once there is room for it. */
  audio: { bytes: number; file(): Promise<Uint8Array> };
  language: string | null;
  /** Words that the client expects. */
  keyterms?: readonly string[] | undefined;
  signal: AbortSignal;
}

/**
 * Transcribes a file. Throws the errors of admission and of `transcribeFile`, and `overloaded` where it has no room.
 */
export type TranscribeFile = (file: CommittedFile) => Promise<AudioTranscript>;

/** One turn on a socket. */
export interface SocketTurn {
  /** The turn's bytes: `read` gives them while they come in, `file` the whole when the turn is complete. */
  audio: { readonly bytes: number; read(signal: AbortSignal): AsyncIterable<Uint8Array>; file(): Promise<Uint8Array> };
  /** Of bare samples, Hz; null where the turn is a file in a format of its own, which is read when it is complete. */
  sampleRate: number | null;
  language: string | null;
  /** Words that the client expects. */
  keyterms?: readonly string[] | undefined;
  signal: AbortSignal;
  /** Called with the text so far while the turn lasts; it may still change. */
  onPartial?: ((text: string) => void) | undefined;
  /** Called with text that will not change any more, in order; all of it together is the transcript. */
  onText?: ((text: string) => void) | undefined;
}

/**
 * Transcribes a turn while it comes in. Throws the errors of admission, of `transcribeLive` and of `TranscribeFile`.
 */
export type TranscribeTurn = (turn: SocketTurn) => Promise<AudioTranscript>;

/**
 * Transcription of the turns of one socket. The caller is admitted anew for every turn, at its beginning and at its
 * commit, since a socket lives for long; of the team's streams it counts as none, because the socket itself counts as
 * one.
 */
export function socketTranscriber(context: TranscriptionContext, route: string, request: HttpRequest): TranscribeTurn {
  const admit = (): Promise<TranscriptionCaller> => admitTranscriber(request, context);
  return async ({ audio, sampleRate, language, keyterms, signal, onPartial, onText }) => {
    const caller = await admit();
    context.overload.check(transcriptionKind(context));
    if (sampleRate === null) return transcribe({ audio, language, keyterms, signal }, { context, route, caller });
    async function* read(ending: AbortSignal): AsyncGenerator<Uint8Array> {
      yield* audio.read(ending);
      await admit();
    }
    let given = 0;
    const onWords = (words: readonly RecognizedWord[]): void => {
      if (words.length > 0) onText?.(`${given++ === 0 ? "" : " "}${textOf(words)}`);
    };
    const { words, seconds } = await notingRefusal(context, () =>
      transcribeLive({
        context,
        route,
        caller,
        read,
        sampleRate,
        language: language ?? undefined,
        keyterms,
        signal,
        onPartial,
        onWords,
      }),
    );
    return { text: textOf(words), words, seconds };
  };
}

/**
 * Transcription for one request, which counts as one of the team's streams while it lasts. Throws `too_many_requests`
 * besides.
 */
export function requestTranscriber(context: TranscriptionContext, route: string, request: HttpRequest): TranscribeFile {
  return async (file) => {
    const caller = await admitTranscriber(request, context);
    const leaveTeam = context.teamSlots.take(caller.principal);
    try {
      return await transcribe(file, { context, route, caller });
    } finally {
      leaveTeam();
    }
  };
}

async function transcribe(
  { audio, language, keyterms, signal }: CommittedFile,
  work: { context: TranscriptionContext; route: string; caller: TranscriptionCaller },
): Promise<AudioTranscript> {
  const { context, caller } = work;
  context.overload.check(transcriptionKind(context));
  const account = await context.uploads.open({
    teamId: caller.principal.teamId,
    expectedBytes: audio.bytes,
    unaskedBytes: 0,
    signal,
  });
  try {
    await account.add(audio.bytes);
    const file = await audio.file();
    account.complete(file.byteLength);
    const options = {
      ...work,
      audio: file,
      language: language ?? undefined,
      keyterms,
      minSeconds: MIN_COMPAT_AUDIO_SECONDS,
      signal,
    };
    const { words, seconds } = await notingRefusal(context, () => transcribeFile(options));
    return { text: textOf(words), words, seconds };
  } finally {
    account.close();
  }
}

/**
 * Runs work that the cluster may refuse, which shuts the gate. Nothing else does: a team that has no room left for
 * files must not be felt by others.
 */
async function notingRefusal<T>(context: TranscriptionContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    context.overload.note(transcriptionKind(context), error);
    throw error;
  }
}
