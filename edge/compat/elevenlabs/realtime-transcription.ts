import { z } from "zod";
import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import { elevenLabsRealtimeTranscription } from "#protocol/compat/elevenlabs-transcription";
import { ServiceError } from "#protocol/errors";
import { sampleRatesByFormat } from "#protocol/speech/request";
import { newIdentifier } from "#common/identifier";
import type { SocketConnection, SocketRoute, SocketSession } from "../../http/exchange.js";
import { admitTranscription } from "../../listening/caller.js";
import type { ListeningContext } from "../../listening/context.js";
import { identifiedRefusal } from "../compat-route.js";
import { errorMessage, renderElevenLabsError } from "../error-answer.js";
import { refuseParameters } from "../refuse.js";
import { SoundBuffer } from "../sound-buffer.js";
import { socketTranscriber, type TranscribeSound } from "../transcribe-sound.js";
import { withBearer } from "./credentials.js";
import { transcriptEntries } from "./transcript-words.js";

const MAX_FRAME_BYTES = 32 * 1024 * 1024;

/** Shorter sound holds no word: its transcript is empty, which clients take for the end of speech. */
const MIN_COMMITTED_MS = 100;

/** `WS /v1/speech-to-text/realtime` (protocols.md 5.5). */
export function realtimeTranscriptionRoute(context: ListeningContext): SocketRoute {
  return {
    path: `${elevenLabsMount}${elevenLabsRealtimeTranscription.path}`,
    maxFrameBytes: MAX_FRAME_BYTES,
    renderRefusal: identifiedRefusal(renderElevenLabsError),
    async upgrade(request) {
      const query = new URLSearchParams(request.query);
      refuseParameters(elevenLabsRealtimeTranscription, "query", Object.fromEntries(query));
      const audioFormat = query.get("audio_format") ?? "pcm_16000";
      const sampleRate = readRate(audioFormat);
      const asked = withBearer(request, query.get("token") ?? undefined);
      const { principal } = await admitTranscription(asked, context);
      const language = query.get("language_code");
      const transcribe = socketTranscriber(context, "/compat/speech-to-text/realtime", asked);
      const config = { sample_rate: sampleRate, audio_format: audioFormat, commit_strategy: "manual", model_id: query.get("model_id") ?? "", include_timestamps: true };
      return (connection) => {
        const leaveTeam = context.teamSlots.take(principal);
        return new TranscriptionSocket({ connection, sampleRate, language, transcribe, config, onEnd: leaveTeam });
      };
    },
  };
}

function readRate(audioFormat: string): number {
  const rate = Number(/^pcm_(\d{4,5})$/.exec(audioFormat)?.[1]);
  if (sampleRatesByFormat.pcm.includes(rate)) return rate;
  throw new ServiceError("unsupported_format", { parameters: { detail: `audio_format is pcm_ with one of ${sampleRatesByFormat.pcm.join(", ")}` } });
}

const chunk = z.object({ message_type: z.literal("input_audio_chunk").optional(), audio_base_64: z.string(), commit: z.boolean().nullish() });

interface TranscriptionSocketOptions {
  connection: SocketConnection;
  sampleRate: number;
  language: string | null;
  transcribe: TranscribeSound;
  config: Record<string, unknown>;
  onEnd(): void;
}

/** One socket: sound, commits, and their transcripts in order. */
class TranscriptionSocket implements SocketSession {
  readonly #options: TranscriptionSocketOptions;
  readonly #sound = new SoundBuffer();
  readonly #gone = new AbortController();
  #transcribing: Promise<void> = Promise.resolve();

  constructor(options: TranscriptionSocketOptions) {
    this.#options = options;
    this.#send("session_started", { session_id: newIdentifier(), config: options.config });
  }

  /** Other shapes than a chunk of sound are ignored (interface.md). */
  message(data: Uint8Array, isBinary: boolean): void {
    const frame = isBinary ? null : readChunk(data);
    if (frame === null) return;
    const outcome = this.#sound.append(frame.audio_base_64);
    if (outcome === "malformed") this.#refuse("input_error", "audio_base_64 is not base64");
    if (outcome === "full") this.#refuse("chunk_size_exceeded", "Too much sound waits for a commit");
    if (outcome === "taken" && frame.commit === true) this.#commit();
  }

  end(): void {
    this.#gone.abort();
    this.#sound.clear();
    this.#options.onEnd();
  }

  #commit(): void {
    const { sampleRate, language, transcribe } = this.#options;
    const isEmpty = this.#sound.bytes < (sampleRate * 2 * MIN_COMMITTED_MS) / 1000;
    const audio = this.#sound.take(sampleRate);
    this.#transcribing = this.#transcribing.then(async () => {
      try {
        const { text, words } = isEmpty ? { text: "", words: [] } : await transcribe({ audio, language, signal: this.#gone.signal });
        this.#send("committed_transcript", { text });
        this.#send("committed_transcript_with_timestamps", { text, language_code: language ?? "", words: transcriptEntries(words) });
      } catch (error) {
        const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
        this.#refuse(errorType(known), errorMessage(known));
      }
    });
  }

  /** Some clients read `error`, others `message`. */
  #refuse(type: string, message: string): void {
    this.#send(type, { error: message, message });
  }

  #send(type: string, fields: Record<string, unknown>): void {
    if (!this.#gone.signal.aborted) this.#options.connection.send(JSON.stringify({ message_type: type, ...fields }));
  }
}

function readChunk(data: Uint8Array): z.infer<typeof chunk> | null {
  try {
    const parsed = chunk.safeParse(JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // what is no JSON is ignored, as every other shape
  }
}

function errorType(error: ServiceError): string {
  if (error.code === "out_of_credit") return "quota_exceeded";
  if (error.status === 401 || error.status === 403) return "auth_error";
  if (error.status === 429) return "rate_limited";
  return error.status < 500 ? "input_error" : "transcriber_error";
}
