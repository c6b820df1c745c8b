import type { RecognizedWord } from "#protocol/transcription/chunk";
import type { HttpRequest } from "../http/exchange.js";
import { admitTranscriber, type TranscriptionCaller } from "../transcription/caller.js";
import type { TranscriptionContext } from "../transcription/context.js";
import { transcriptionKind } from "../transcription/transcription-kind.js";
import { transcribeFile } from "../transcription/transcribe-file.js";
import { textOf } from "#transcription/transcript";

/** Shortest audio that a commit may hold, seconds: a word. */
const MIN_COMMITTED_SECONDS = 0.1;

/** A file of audio that a client has committed on a socket, or put into a message. */
export interface CommittedAudio {
  /** How long the file is, and what makes it: called once there is room for it. */
  audio: { bytes: number; file(): Promise<Uint8Array> };
  language: string | null;
  signal: AbortSignal;
}

/**
 * Writes down what is said in a recording. Throws the errors of admission and of `transcribeFile`, and `overloaded` where
 * there is no room for the file.
 */
export type TranscribeAudio = (
  committed: CommittedAudio,
) => Promise<{ text: string; words: RecognizedWord[]; seconds: number }>;

/**
 * Transcription of what is committed on one socket. The caller is admitted anew for every commit, since a socket lives
 * for long; of the team's streams it counts as none, because the socket itself counts as one.
 */
export function socketTranscriber(context: TranscriptionContext, route: string, request: HttpRequest): TranscribeAudio {
  return async (committed) =>
    transcribe(committed, { context, route, caller: await admitTranscriber(request, context) });
}

/**
 * Transcription for one request, which counts as one of the team's streams while it lasts. Throws `too_many_requests`
 * besides.
 */
export function requestTranscriber(
  context: TranscriptionContext,
  route: string,
  request: HttpRequest,
): TranscribeAudio {
  return async (committed) => {
    const caller = await admitTranscriber(request, context);
    const leaveTeam = context.teamSlots.take(caller.principal);
    try {
      return await transcribe(committed, { context, route, caller });
    } finally {
      leaveTeam();
    }
  };
}

async function transcribe(
  { audio, language, signal }: CommittedAudio,
  work: { context: TranscriptionContext; route: string; caller: TranscriptionCaller },
): ReturnType<TranscribeAudio> {
  const { context, caller } = work;
  const kind = transcriptionKind(context);
  context.overload.check(kind);
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
    // Only what the cluster refuses shuts the gate: a team that has no room left for files must not be felt by others.
    const { words, seconds } = await transcribeFile({
      ...work,
      audio: file,
      language: language ?? undefined,
      minSeconds: MIN_COMMITTED_SECONDS,
      signal,
    }).catch((error: unknown) => {
      context.overload.note(kind, error);
      throw error;
    });
    return { text: textOf(words), words, seconds };
  } finally {
    account.close();
  }
}
