import type { UsageRecord } from "#protocol/bus/control";
import { speechDefaults } from "#protocol/speech/request";
import { fromFloat, toFloat } from "#audio/pcm";
import { createResampler, type Resampler } from "#audio/resampling/resampler";
import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { ReportEnd, UsageReporter } from "#common/usage/usage-reporter";
import { Chunker, type ChunkText } from "#speech/chunking/chunker";
import { type Pace, stallMs } from "#speech/chunking/pace";
import type { SpeechClient } from "#speech/speech-client";
import type { SpeechStream } from "#speech/stream/speech-stream";
import type { StreamEvent } from "#speech/stream/stream-event";
import { takesFreeTags } from "#speech/voice/model";
import type { VoiceTrack } from "../room/room.js";
import { ReplyAudio } from "./reply-audio.js";
import { ReplyPlayer } from "./reply-player.js";
import type { VoicePlan } from "./voice-plan.js";

/** Somebody waits for every word. */
const pace: Pace = {
  latency: "low",
  chunkLength: speechDefaults.chunk_length,
  minChunkLength: speechDefaults.min_chunk_length,
};

export interface ReplySpeechOptions {
  voice: VoicePlan;
  speech: Pick<SpeechClient, "open">;
  track: VoiceTrack;
  usage: Pick<UsageReporter, "begin">;
  clock: Clock;
  /** Who is charged, and the agent that speaks. */
  payer: { teamId: string; keyId: string; agentId: string };
  traceparent: string;
  traceId: string;
  onAudible(): void;
  /** So many UTF-16 units of the text have been heard; `isOver`: all of it. */
  onPlayed(characters: number, isOver: boolean): void;
  onFailed(error: unknown): void;
}

/** One reply on its way from text to the caller's ear: text → chunker → stream → player → track. */
export class ReplySpeech {
  readonly #options: ReplySpeechOptions;
  readonly #chunker: Chunker;
  readonly #audio: ReplyAudio;
  readonly #player: ReplyPlayer;
  /** Voices speak at rates of their own; the track has one. */
  readonly #resampler: Resampler;
  readonly #stream: SpeechStream;
  readonly #reportEnd: ReportEnd;
  readonly #usageId = newIdentifier();
  readonly #begunAtMs: number;
  #firstAudioMs: number | null = null;
  #cancelStall: () => void = () => undefined;
  #isOver = false;

  constructor(options: ReplySpeechOptions) {
    const { voice, speech, track, usage, clock, traceparent } = options;
    this.#options = options;
    this.#begunAtMs = clock.nowMs();
    this.#chunker = new Chunker({ pace, freeTags: takesFreeTags(voice.model) });
    this.#audio = new ReplyAudio(track.sampleRate);
    this.#resampler = createResampler(voice.sampleRate, track.sampleRate);
    this.#player = new ReplyPlayer({
      ...{ track, clock },
      audio: this.#audio,
      onAudible: () => {
        this.#firstAudioMs = clock.nowMs() - this.#begunAtMs;
        options.onAudible();
      },
      onPlayed: (characters, isOver) => {
        if (isOver) this.#end("completed");
        options.onPlayed(characters, isOver);
      },
      onError: (error) => this.#fail(error),
    });
    const settings = { ...voice.settings, streamId: newIdentifier(), traceparent };
    this.#stream = speech.open(settings, (event) => this.#take(event));
    this.#reportEnd = usage.begin(() => this.#usage("partial"));
  }

  /** Says more. Text that stops in the middle of a sentence waits for the rest of it. */
  text(text: string): void {
    if (this.#isOver) return;
    this.#audio.addText(text);
    this.#add(this.#chunker.push(text));
    if (this.#stream.wantsText) this.#add(this.#chunker.releaseHeld());
    this.#cancelStall();
    this.#cancelStall = this.#options.clock.after(stallMs[pace.latency], () =>
      this.#add(this.#chunker.releaseFinished()),
    );
  }

  /** That was all. */
  finish(): void {
    if (this.#isOver) return;
    this.#cancelStall();
    this.#add(this.#chunker.flush());
    this.#stream.end();
  }

  pause(): void {
    if (this.#isOver) return;
    this.#stream.hold(true);
    this.#player.pause();
  }

  resume(): void {
    if (this.#isOver) return;
    this.#stream.hold(false);
    this.#player.resume();
  }

  /** Falls silent for good and ends its work everywhere. Harmless after the end. */
  stop(): void {
    this.#player.stop();
    this.#stream.cancel();
    this.#end("cancelled");
  }

  #add(chunks: ChunkText[]): void {
    if (!this.#isOver) this.#stream.add(chunks);
  }

  #take(event: StreamEvent): void {
    switch (event.type) {
      case "chunk-started":
        return this.#audio.chunkStarted(event.chunkIndex, event.text, this.#trackSample(event.offsetSamples));
      case "text-wanted":
        return this.#add(this.#chunker.releaseHeld());
      case "words":
        return this.#audio.words(event.chunkIndex, event.words);
      case "samples":
        return this.#give(this.#resampler.process(toFloat(event.samples)));
      case "chunk-ended":
        return this.#audio.chunkEnded(event.chunkIndex);
      case "ended":
        this.#audio.complete(fromFloat(this.#resampler.flush()));
        return this.#player.more();
      case "failed":
        return this.#fail(event.error);
      default:
    }
  }

  #give(samples: Float32Array): void {
    this.#audio.append(fromFloat(samples));
    this.#player.more();
  }

  /** A place in the voice's samples, in the track's. */
  #trackSample(voiceSample: number): number {
    const { voice, track } = this.#options;
    return Math.round((voiceSample * track.sampleRate) / voice.sampleRate);
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#player.stop();
    this.#stream.cancel();
    this.#end("failed");
    this.#options.onFailed(error);
  }

  #end(outcome: UsageRecord["outcome"]): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelStall();
    this.#reportEnd(this.#usage(outcome));
  }

  /** What was played so far: that is what is charged. Null for nothing. */
  #usage(outcome: UsageRecord["outcome"]): UsageRecord | null {
    const { voice, payer, traceId, clock } = this.#options;
    const played = this.#player.playedSamples;
    if (played === 0) return null;
    return {
      usageId: this.#usageId,
      ...payer,
      route: "/v1/agent/sessions",
      model: voice.model,
      characters: this.#audio.charactersBegun(played),
      audioMs: Math.round((played / this.#audio.sampleRate) * 1000),
      firstAudioMs: this.#firstAudioMs,
      totalMs: clock.nowMs() - this.#begunAtMs,
      outcome,
      traceId,
      finishedAtMs: Date.now(),
      voiceIds: voice.voiceIds,
    };
  }
}
