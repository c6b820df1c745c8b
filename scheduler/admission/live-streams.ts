import type { FollowingText, Submit } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { ServiceDemand } from "../latency/service-demand.js";
import type { WaitingChunk } from "../queue/waiting-chunk.js";
import type { PlayoutNeed } from "./playout-need.js";

/** A stream that gives nothing to do for so long after its player ran dry has left, or waits for text. */
const IDLE_AFTER_MS = 1000;

/** A stream of speech that somebody plays while it is spoken. */
export interface LiveStream {
  readonly ownerId: string;
  readonly tier: "live" | "free";
  readonly teamId: string | undefined;
  /** Of the chunk submitted last. */
  model: string;
  following: FollowingText;
  /** When the player needs the first chunk that no worker has been given. */
  dueAtMs: number;
  /** When the player begins, as far as that is known; only while its first chunk waits. */
  beginsAtMs: number;
  /** Index of the last chunk up to which it is known how long all sound; -1 before the first. */
  spokenThrough: number;
  /** When a player that began as soon as it could has played those. */
  playedAtMs: number;
}

/** How soon a new stream's first chunk must be there, and when it is predicted to be. */
export interface Beginning {
  mostWaitMs: number;
  predictedMs: number;
}

type SpeechSubmit = Submit & { chunk: SpeechChunk };

const nothingKnown: FollowingText = { size: 0, isAll: false };
const nothingSpoken = { spokenThrough: -1, playedAtMs: Number.NEGATIVE_INFINITY };

/** The streams whose players the scheduler has taken on, and what is left to speak of each. */
export class LiveStreams {
  readonly #streams = new Map<string, LiveStream>();

  get size(): number {
    return this.#streams.size;
  }

  /** Takes a new stream in, which must be begun within `mostWaitMs`. */
  began({ chunk, tier, teamId, slackMs }: SpeechSubmit, { mostWaitMs, predictedMs }: Beginning, nowMs: number): void {
    if (tier === "bulk") return;
    const { ownerId, model } = chunk;
    const dueAtMs = nowMs + Math.max(slackMs, mostWaitMs);
    const beginsAtMs = nowMs + predictedMs;
    const following = nothingKnown;
    this.#streams.set(chunk.streamId, {
      ownerId,
      tier,
      teamId,
      model,
      following,
      dueAtMs,
      beginsAtMs,
      ...nothingSpoken,
    });
  }

  /** Notes a chunk that was taken into the queue, of a new stream or of one that another scheduler had. */
  submitted(submit: Submit, nowMs: number): void {
    const { chunk, tier, teamId, slackMs, following = nothingKnown } = submit;
    if (chunk.task !== "speak" || tier === "bulk") return;
    const { streamId, ownerId, model } = chunk;
    const known = this.#streams.get(streamId);
    if (known !== undefined) Object.assign(known, { model, following });
    else {
      const dueAtMs = nowMs + slackMs;
      const timing = { dueAtMs, beginsAtMs: dueAtMs, ...nothingSpoken };
      this.#streams.set(streamId, { ownerId, tier, teamId, model, following, ...timing });
    }
  }

  /** Notes that a worker has a chunk, and is through with it in `serviceMs`. */
  dispatched({ chunk, deadlineMs }: WaitingChunk, audioMs: number, serviceMs: number, nowMs: number): void {
    const stream = this.#streams.get(chunk.streamId);
    if (stream === undefined || chunk.task !== "speak") return;
    const doneAtMs = nowMs + serviceMs;
    stream.dueAtMs = audioMs + (chunk.chunkIndex === 0 ? doneAtMs : Math.max(doneAtMs, deadlineMs));
  }

  /**
   * Notes how long a chunk sounds; gives when the player may have played all up to it, which is when it needs the next.
   * Null where what came before is not known. A player may begin with a chunk as soon as a worker has it.
   */
  spoken(
    { streamId, chunkIndex }: Pick<SpeechChunk, "streamId" | "chunkIndex">,
    audioMs: number,
    sentAtMs: number,
  ): number | null {
    const stream = this.#streams.get(streamId);
    if (stream === undefined || chunkIndex !== stream.spokenThrough + 1) return null;
    stream.spokenThrough = chunkIndex;
    stream.playedAtMs = Math.max(stream.playedAtMs, sentAtMs) + audioMs;
    return stream.playedAtMs;
  }

  textEnded(streamId: string): void {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) stream.following = { ...stream.following, isAll: true };
  }

  cancelled(streamId: string): void {
    this.#streams.delete(streamId);
  }

  ownerLost(ownerId: string): void {
    for (const [streamId, stream] of this.#streams) if (stream.ownerId === ownerId) this.#streams.delete(streamId);
  }

  /**
   * Calls `visit` for each stream with what its player still needs; drops those that need nothing any more. `queuedOf`
   * gives a stream's queued chunks in order.
   */
  visitNeeds(
    sources: { queuedOf: (streamId: string) => readonly WaitingChunk[]; serviceOf: (model: string) => ServiceDemand },
    nowMs: number,
    visit: (stream: LiveStream, need: PlayoutNeed) => void,
  ): void {
    for (const [streamId, stream] of this.#streams) {
      const need = needOf(stream, sources.queuedOf(streamId), sources.serviceOf(stream.model), nowMs);
      if (need !== null) visit(stream, need);
      else if (stream.following.isAll || nowMs > stream.dueAtMs + IDLE_AFTER_MS) this.#streams.delete(streamId);
    }
  }
}

/** What a new stream's player will need, from its first chunk on. */
export function needOfNew(
  { chunk, following = nothingKnown }: SpeechSubmit,
  { mostWaitMs, predictedMs }: Beginning,
  service: ServiceDemand,
): PlayoutNeed {
  const nextMs = chunkAudioMs(chunk, service);
  return {
    nextMs,
    nextDueMs: mostWaitMs,
    thenDueMs: predictedMs + nextMs,
    remainingMs: following.isAll ? nextMs + service.audioMs(following.size) : Number.POSITIVE_INFINITY,
    chunkMs: service.meanAudioMs(),
  };
}

/** Audio that a chunk is expected to make. */
export function chunkAudioMs({ text, voice, delivery }: SpeechChunk, service: ServiceDemand): number {
  return service.audioMs(text.length) / Math.max(0.1, voice.speed * delivery.rateFactor);
}

/**
 * Null when the player needs nothing that is known of. A stream whose text has not ended is expected to go on for as
 * long as its player plays, and to pause once it has run dry.
 */
function needOf(
  { following, dueAtMs, beginsAtMs }: LiveStream,
  queued: readonly WaitingChunk[],
  service: ServiceDemand,
  nowMs: number,
): PlayoutNeed | null {
  const chunkMs = service.meanAudioMs();
  const [head] = queued;
  const expected = following.isAll ? 0 : Number.POSITIVE_INFINITY;
  const followingMs = service.audioMs(following.size);
  if (head === undefined) {
    const dueMs = dueAtMs - nowMs;
    const isDry = following.size === 0 ? dueMs < 0 : dueMs < -IDLE_AFTER_MS;
    const remainingMs = followingMs + expected;
    if (isDry || remainingMs === 0) return null;
    const nextMs = Math.min(chunkMs, remainingMs);
    return { nextMs, nextDueMs: dueMs, thenDueMs: Math.max(0, dueMs) + nextMs, remainingMs, chunkMs };
  }
  let remainingMs = followingMs + expected;
  for (const { chunk } of queued) if (chunk.task === "speak") remainingMs += chunkAudioMs(chunk, service);
  const nextMs = head.chunk.task === "speak" ? chunkAudioMs(head.chunk, service) : 0;
  const begun = head.chunk.chunkIndex > 0;
  const nextDueMs = (begun ? head.deadlineMs : dueAtMs) - nowMs;
  const beginsMs = Math.max(0, begun ? nextDueMs : beginsAtMs - nowMs);
  return { nextMs, nextDueMs, thenDueMs: beginsMs + nextMs, remainingMs, chunkMs };
}
