import { z } from "zod";
import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import {
  elevenLabsRealtimeTranscription,
  type RealtimeTranscriptionEvent,
} from "#protocol/compat/elevenlabs-transcription";
import { isSet } from "#protocol/compat/parameter";
import { ServiceError } from "#protocol/errors";
import { frameLimits } from "#protocol/limits";
import { newIdentifier } from "#common/identifier";
import { closeCodes } from "../../http/close-codes.js";
import type { SocketConnection, SocketRoute, SocketSession } from "../../http/exchange.js";
import { FrameDecoder } from "../../http/frame-decoder.js";
import { admitTranscription } from "../../transcription/caller.js";
import type { TranscriptionContext } from "../../transcription/context.js";
import type { SocketAudioBudget } from "../../transcription/socket-audio-budget.js";
import type { BufferRefusal } from "../commit-buffer.js";
import { errorMessage } from "../error-answer.js";
import { keytermsOf } from "../keyterms.js";
import { refuseParameters } from "../refuse.js";
import { SocketTranscription, type TurnSettings } from "../socket-transcription.js";
import { type AudioTranscript, socketTranscriber, type TranscribeTurn } from "../transcribe-audio.js";
import { withBearer } from "./credentials.js";
import { transcriptEntries } from "./transcript-words.js";

/** Shorter audio holds no word: its transcript is empty, which clients take for the end of speech. */
const MIN_COMMITTED_MS = 100;

/** `WS /v1/speech-to-text/realtime` (docs/protocol.md "Realtime speech to text"). */
export function realtimeTranscriptionRoute(context: TranscriptionContext): SocketRoute {
  return {
    path: `${elevenLabsMount}${elevenLabsRealtimeTranscription.path}`,
    maxFrameBytes: frameLimits.audio,
    async upgrade(request) {
      const query = new URLSearchParams(request.query);
      refuseParameters(elevenLabsRealtimeTranscription, "query", Object.fromEntries(query));
      const audioFormat = query.get("audio_format") ?? "pcm_16000";
      const sampleRate = readRate(audioFormat);
      const asked = withBearer(request, query.get("token") ?? undefined);
      const { principal } = await admitTranscription(asked, context);
      const language = query.get("language_code");
      const keyterms = keytermsOf(query.getAll("keyterms"));
      const withTimestamps = wantsTimestamps(query);
      const transcribe = socketTranscriber(context, "/compat/speech-to-text/realtime", asked);
      const config = {
        sample_rate: sampleRate,
        audio_format: audioFormat,
        commit_strategy: "manual",
        model_id: query.get("model_id") ?? "",
        include_timestamps: withTimestamps,
      };
      const takePlace = (): (() => void) => context.teamSlots.take(principal);
      return (connection) => {
        const watchKey = (onRefused: (error: ServiceError) => void): void =>
          context.watchKey(principal, connection.closed, onRefused);
        return new TranscriptionSocket({
          connection,
          sampleRate,
          language,
          keyterms,
          withTimestamps,
          transcribe,
          config,
          takePlace,
          watchKey,
          audioBudget: context.socketAudio,
        });
      };
    },
  };
}

/** Whatever rate a microphone or a telephone has. */
const rateBounds = { lowestHz: 8000, highestHz: 48_000 };

function readRate(audioFormat: string): number {
  const rate = Number(/^pcm_(\d{4,5})$/.exec(audioFormat)?.[1]);
  const { lowestHz, highestHz } = rateBounds;
  if (rate >= lowestHz && rate <= highestHz) return rate;
  throw new ServiceError("unsupported_format", {
    parameters: { detail: `audio_format is pcm_ and a rate from ${lowestHz} to ${highestHz}` },
  });
}

/** Both answers come unless the client says that it wants no times. */
function wantsTimestamps(query: URLSearchParams): boolean {
  const asked = query.get("include_timestamps") ?? "";
  return asked === "" || isSet(asked) || isSet(query.get("include_language_detection"));
}

const chunk = z.object({
  message_type: z.literal("input_audio_chunk").optional(),
  audio_base_64: z.union([z.string(), z.instanceof(Uint8Array)]),
  commit: z.boolean().nullish(),
});

interface TranscriptionSocketOptions {
  connection: SocketConnection;
  sampleRate: number;
  language: string | null;
  keyterms: readonly string[];
  /** Whether each transcript comes a second time, with the times of its words. */
  withTimestamps: boolean;
  transcribe: TranscribeTurn;
  config: Record<string, unknown>;
  /** Takes the socket's place among the team's streams. Throws `too_many_requests`. */
  takePlace(): () => void;
  watchKey(onRefused: (error: ServiceError) => void): void;
  audioBudget: SocketAudioBudget;
}

/** How a refusal of the buffer is named and explained to the client; the socket lives on. */
const refusals: Readonly<Record<BufferRefusal, { type: RealtimeTranscriptionEvent; message: string }>> = {
  malformed: { type: "input_error", message: "audio_base_64 is not base64" },
  "socket full": { type: "queue_overflow", message: "Too much audio waits for its transcript: commit less at a time" },
  "commits waiting": {
    type: "commit_throttled",
    message: "Too many commits wait for their transcripts; the audio is kept for a later one",
  },
  "process full": { type: "resource_exhausted", message: "Too much audio waits on this server; try again in a moment" },
};

/** One socket: audio, commits, and their transcripts in order. */
class TranscriptionSocket implements SocketSession {
  readonly #options: TranscriptionSocketOptions;
  readonly #transcription: SocketTranscription;
  readonly #gone = new AbortController();
  readonly #frames: FrameDecoder;
  #leaveTeam: (() => void) | null = null;
  /** The client has not taken what was sent: it gets no partial transcripts until it has. */
  #isBehind = false;

  constructor(options: TranscriptionSocketOptions) {
    this.#options = options;
    this.#transcription = new SocketTranscription({
      budget: options.audioBudget,
      transcribe: options.transcribe,
      settings: () => this.#settings,
      onPartial: (text) => this.#sendPartial(text),
    });
    this.#frames = new FrameDecoder({
      encoding: "json",
      fileFields: ["audio_base_64"],
      maxFrameBytes: frameLimits.audio,
      onFrame: (value) => this.#receive(value),
      // What is no JSON is ignored, as every other shape.
      onError: (error) => error.code !== "malformed_json" && this.#fail(error),
    });
    try {
      this.#leaveTeam = options.takePlace();
    } catch (error) {
      // Another socket of the team took the last place while this one was being opened.
      this.#fail(error);
      options.connection.close(closeCodes.policy, "Too many requests at once");
      return;
    }
    options.watchKey((error) => {
      this.#fail(error);
      options.connection.close(closeCodes.policy, errorMessage(error));
    });
    this.#send("session_started", { session_id: newIdentifier(), config: options.config });
  }

  /** Other shapes than a chunk of audio are ignored. */
  message(data: Uint8Array, isBinary: boolean): void {
    if (!isBinary) this.#frames.push(data);
  }

  #receive(value: unknown): void {
    const frame = chunk.safeParse(value).data;
    if (frame === undefined || this.#leaveTeam === null) return;
    const refusal = this.#transcription.append(frame.audio_base_64);
    if (refusal !== null) return this.#refuse(refusals[refusal]);
    if (frame.commit === true) this.#commit();
  }

  end(): void {
    this.#frames.stop();
    this.#gone.abort();
    this.#transcription.close();
    this.#leaveTeam?.();
  }

  get #settings(): TurnSettings {
    const { sampleRate, language, keyterms } = this.#options;
    return { sampleRate, language, keyterms };
  }

  #commit(): void {
    const { sampleRate } = this.#options;
    const isEmpty = this.#transcription.bytes < (sampleRate * 2 * MIN_COMMITTED_MS) / 1000;
    const commit = this.#transcription.commit();
    if (typeof commit === "string") return this.#refuse(refusals[commit]);
    this.#transcription.transcribe(commit, isEmpty ? null : this.#settings, {
      answer: async (transcript) => {
        try {
          this.#answer(await transcript);
        } catch (error) {
          this.#fail(error);
        } finally {
          commit.done();
        }
      },
    });
  }

  #answer({ text, words }: AudioTranscript): void {
    const { language, withTimestamps } = this.#options;
    this.#send("committed_transcript", { text });
    if (withTimestamps)
      this.#send("committed_transcript_with_timestamps", {
        text,
        language_code: language ?? "",
        words: transcriptEntries(words),
      });
  }

  #sendPartial(text: string): boolean {
    if (this.#isBehind) return false;
    this.#isBehind = !this.#send("partial_transcript", { text });
    if (this.#isBehind)
      void this.#options.connection.writable().then(() => {
        this.#isBehind = false;
      });
    return true;
  }

  #fail(error: unknown): void {
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    this.#refuse({ type: errorType(known), message: errorMessage(known) });
  }

  /** Some clients read `error`, others `message`. */
  #refuse({ type, message }: { type: RealtimeTranscriptionEvent; message: string }): void {
    this.#send(type, { error: message, message });
  }

  #send(type: RealtimeTranscriptionEvent, fields: Record<string, unknown>): boolean {
    if (this.#gone.signal.aborted) return true;
    return this.#options.connection.send(JSON.stringify({ message_type: type, ...fields }));
  }
}

function errorType(error: ServiceError): RealtimeTranscriptionEvent {
  if (error.code === "out_of_credit") return "quota_exceeded";
  if (error.status === 401 || error.status === 403) return "auth_error";
  if (error.status === 429) return "rate_limited";
  return error.status < 500 ? "input_error" : "transcriber_error";
}
