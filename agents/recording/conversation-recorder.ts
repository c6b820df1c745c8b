import { RECORDING_FRAME_MS, type RecordingRole, recordingRoles, type RecordingSegment } from "#protocol/bus/recording";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { OpusPackets } from "#audio/encoding/opus-packets";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { VoiceTrack } from "../room/room.js";
import type { SegmentWriter } from "./segment-writer.js";
import { TrackTimeline } from "./track-timeline.js";

/** Audio is encoded in steps of this: what one of them takes holds nothing up. */
const STEP_MS = 500;
/** Audio is put into its place up to so long after it was heard, by a process that was busy. */
const LATE_MS = 1000;
/** Length of a segment. With `LATE_MS` and a step it is what a killed process loses at most. */
const SEGMENT_FRAMES = 2000 / RECORDING_FRAME_MS;
/** What clocks may be wrong by; a track is never further off. */
const SLACK_MS = 50;
/** How long the last segment may take to be stored. */
const LAST_SEGMENT_MS = 5000;

/** Records what both sides of a conversation say. */
export interface Recorder {
  /** The caller has joined, so long ago: the time line begins. Later calls do nothing. */
  begin(sinceJoinedMs: number): void;
  /** What the caller said in the time that has just passed, at `RECOGNITION_RATE`. The samples stay as they are. */
  addCaller(samples: Int16Array): void;
  /** Gives a track that plays on the given one; what is played on it is recorded. */
  trackOf(voice: VoiceTrack): VoiceTrack;
  /**
   * Records no more; resolves when what there is is stored, or could not be in time. `isComplete`: the conversation is
   * over, and nobody goes on with it. Never rejects.
   */
  close(options: { isComplete: boolean }): Promise<void>;
}

/** For conversations that are not recorded. */
export const noRecorder: Recorder = {
  begin: () => undefined,
  addCaller: () => undefined,
  trackOf: (voice) => voice,
  close: () => Promise.resolve(),
};

export interface RecorderOptions {
  clock: Clock;
  log: Logger;
  /** Of the agent's track, Hz. */
  voiceRate: number;
  encoders: Record<RecordingRole, OpusPackets>;
  writer: SegmentWriter;
}

/**
 * Records both tracks on one time line, by the clock: the caller's audio as it came, the agent's as it was played.
 * Every runtime of a conversation records its own part of it, and stores it while the conversation goes on.
 */
export class ConversationRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #rates: Record<RecordingRole, number>;
  #tracks: Record<RecordingRole, TrackTimeline> | null = null;
  /** When the caller joined, by the clock. */
  #joinedMs = 0;
  /** The next frame to encode. */
  #frame = 0;
  #segment: RecordingSegment | null = null;
  #encoding: Promise<void> = Promise.resolve();
  #isClosed = false;
  #cancelStep: () => void = () => undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#rates = { agent: options.voiceRate, user: RECOGNITION_RATE };
  }

  begin(sinceJoinedMs: number): void {
    if (this.#tracks !== null || this.#isClosed) return;
    this.#joinedMs = this.#options.clock.nowMs() - Math.max(0, sinceJoinedMs);
    this.#frame = Math.ceil(Math.max(0, sinceJoinedMs) / RECORDING_FRAME_MS);
    this.#tracks = { agent: this.#track("agent"), user: this.#track("user") };
    this.#stepLater();
  }

  addCaller(samples: Int16Array): void {
    const durationMs = (samples.length * 1000) / RECOGNITION_RATE;
    if (!this.#isClosed) this.#tracks?.user.add(this.#positionOf("user", -durationMs), samples);
  }

  trackOf(voice: VoiceTrack): VoiceTrack {
    return {
      sampleRate: voice.sampleRate,
      write: (samples) => {
        this.#addVoice(samples.slice(), voice.queuedMs());
        return voice.write(samples);
      },
      queuedMs: () => voice.queuedMs(),
      clear: () => {
        voice.clear();
        this.#tracks?.agent.cut(this.#positionOf("agent", 0));
      },
    };
  }

  async close({ isComplete }: { isComplete: boolean }): Promise<void> {
    if (this.#isClosed) return;
    this.#cancelStep();
    const { encoders, writer, clock, log } = this.#options;
    if (this.#tracks !== null) this.#encodeTo(clock.nowMs());
    this.#isClosed = true;
    const stored = this.#encoding.then(async () => {
      this.#endSegment();
      await writer.settled();
      if (isComplete && this.#tracks !== null) await writer.end();
    });
    const late = new Promise<void>((resolve) => void clock.after(LAST_SEGMENT_MS, resolve));
    await Promise.race([stored, late]).catch((error: unknown) =>
      log.warn({ err: error }, "the end of a recording could not be stored"),
    );
    writer.close();
    for (const role of recordingRoles) encoders[role].free();
  }

  #track(role: RecordingRole): TrackTimeline {
    const perMs = this.#rates[role] / 1000;
    return new TrackTimeline({ from: this.#frame * RECORDING_FRAME_MS * perMs, slack: SLACK_MS * perMs });
  }

  /** Where on a track is what is heard in `inMs`. */
  #positionOf(role: RecordingRole, inMs: number): number {
    const atMs = this.#options.clock.nowMs() + inMs - this.#joinedMs;
    return Math.round((atMs * this.#rates[role]) / 1000);
  }

  #addVoice(samples: Int16Array, inMs: number): void {
    // What waits in the queue is followed without a gap; what finds it empty is heard at once.
    const leastGap = inMs > 0 ? undefined : 0;
    this.#tracks?.agent.add(this.#positionOf("agent", inMs), samples, leastGap);
  }

  #stepLater(): void {
    const { clock } = this.#options;
    this.#cancelStep = clock.after(STEP_MS, () => {
      this.#encodeTo(clock.nowMs() - LATE_MS);
      this.#stepLater();
    });
  }

  /** Encodes both tracks up to a time, in whole frames. */
  #encodeTo(untilMs: number): void {
    const frame = Math.floor((untilMs - this.#joinedMs) / RECORDING_FRAME_MS);
    if (this.#tracks === null || frame <= this.#frame) return;
    const { tracks, rates } = { tracks: this.#tracks, rates: this.#rates };
    const take = (role: RecordingRole): Int16Array =>
      tracks[role].take((frame * RECORDING_FRAME_MS * rates[role]) / 1000);
    const step = { startFrame: this.#frame, agent: take("agent"), user: take("user") };
    this.#frame = frame;
    this.#encoding = this.#encoding.then(() => this.#encode(step));
  }

  /** What cannot be encoded is silence: the segment ends before it. */
  async #encode(step: { startFrame: number } & Record<RecordingRole, Int16Array>): Promise<void> {
    const { encoders, log } = this.#options;
    try {
      const [agent, user] = [await encoders.agent.encode(step.agent), await encoders.user.encode(step.user)];
      this.#segment ??= { startFrame: step.startFrame, packets: { agent: [], user: [] } };
      this.#segment.packets.agent.push(...agent);
      this.#segment.packets.user.push(...user);
    } catch (error) {
      log.error({ err: error }, "a part of a recording could not be encoded");
      this.#options.writer.lose(1);
      this.#endSegment();
    }
    if ((this.#segment?.packets.user.length ?? 0) >= SEGMENT_FRAMES) this.#endSegment();
  }

  #endSegment(): void {
    if (this.#segment !== null) this.#options.writer.write(this.#segment);
    this.#segment = null;
  }
}
