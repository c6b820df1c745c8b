import type { SchedulerLoad, StreamRoom } from "#protocol/bus/membership";
import { type Submit, type WorkChunk, workSize } from "#protocol/bus/scheduling";
import { type ServiceError, toErrorRecord } from "#protocol/errors";
import type { SpeechChunk } from "#protocol/speech/chunk";
import { admitContinuation, admitNewStream } from "../admission/admit.js";
import { type PredictedWait, predictWait } from "../admission/predicted-wait.js";
import { Headroom } from "../admission/headroom.js";
import { waitingChunk } from "../queue/waiting-chunk.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { CoreParts } from "./parts.js";

/** Characters of a first chunk until one has come. */
const USUAL_FIRST_SIZE = 40;
/** What the latest one counts in their mean. */
const LATEST_SHARE = 0.1;

/** Takes submitted chunks into the queue, or refuses them; knows how much more can be taken. */
export class Intake {
  readonly #parts: CoreParts;
  readonly #headroom: Headroom;
  /** Characters of a live stream's first chunk by model, on average of those that were asked for lately. */
  readonly #firstSizes = new Map<string, number>();
  #sequence = 0;

  constructor(parts: CoreParts) {
    this.#parts = parts;
    this.#headroom = new Headroom(parts);
  }

  /** Queues a chunk, or tells its owner that it is refused. */
  submit(submit: Submit, nowMs: number): void {
    const { queue, running, workers, emit, headChanged } = this.#parts;
    const { chunk } = submit;
    const { streamId, chunkIndex, attempt, ownerId } = chunk;
    const queuedAttempt = queue.attemptOf(streamId, chunkIndex);
    // The same attempt twice is the bus's or the owner's repetition; a lower one comes too late.
    if (Math.max(queuedAttempt, running.attemptOf(streamId, chunkIndex)) >= attempt) return;
    const pools = workers.poolsOf(chunk.model);
    const serviceMs = this.#serviceMs(chunk, pools);
    const refusal = queuedAttempt === 0 ? this.#admit(submit, pools, serviceMs, nowMs) : null;
    if (refusal !== null) {
      const error = toErrorRecord(refusal);
      return emit({ to: "edge", ownerId, message: { type: "refused", streamId, chunkIndex, attempt, error } });
    }
    queue.add(waitingChunk(submit, { sequence: this.#sequence++, serviceMs, nowMs }), nowMs);
    this.#parts.streams.submitted(submit, nowMs);
    headChanged(chunk.model);
  }

  /** What this scheduler can take now, per model served. */
  loads(nowMs: number): SchedulerLoad[] {
    const { queue, workers } = this.#parts;
    return workers.servedModels().map((model) => {
      const pools = workers.poolsOf(model);
      return {
        model,
        slots: pools.reduce((sum, pool) => sum + pool.general.slots, 0),
        freeSlots: pools.reduce((sum, pool) => sum + pool.general.free, 0),
        queuedChunks: queue.queuedOf(model),
        predictedWaitMs: this.#predictWait(pools, model, nowMs).liveMs + this.#fullMs(pools, model, nowMs),
        ...(speaks(pools, model) ? { room: this.#room(pools, model, nowMs) } : {}),
      };
    });
  }

  /** How many more live streams would be taken, by what those asked for lately were like. */
  #room(pools: readonly WorkerPool[], model: string, nowMs: number): StreamRoom {
    const { queue, policy, book } = this.#parts;
    const size = this.#firstSizes.get(model) ?? USUAL_FIRST_SIZE;
    const served = pools[0]?.models.get(model);
    const latency = book.of(model, served?.provider ?? "");
    const batch = latency.batchLimit.within(served?.maxBatch ?? 1);
    const slots = pools.reduce((sum, pool) => sum + pool.general.slots, 0);
    const { atOnce, thenMs } = this.#predictWait(pools, model, nowMs);
    const isShut = queue.size >= policy.queueChunks || this.#runningLateMs(pools, nowMs) > policy.runningLateMs;
    return {
      streams: isShut ? 0 : this.#headroom.streamsBeside(model, nowMs),
      atOnce,
      firstAudioMs: thenMs + latency.predictP95Ms(1, size),
      mostWaitMs: policy.admissionWaitMs,
      addedMs: latency.workMs(batch, batch * size, batch) / batch / Math.max(1, slots),
    };
  }

  /** What refuses new streams though none waits: edges go to another scheduler then, and workers are added. */
  #fullMs(pools: readonly WorkerPool[], model: string, nowMs: number): number {
    if (!speaks(pools, model)) return 0;
    return Math.max(0, this.#headroom.latenessWithAny(model, nowMs));
  }

  /** Decides about a chunk; a new stream that is taken counts from then on. Null is yes. */
  #admit(submit: Submit, pools: readonly WorkerPool[], ownMs: number, nowMs: number): ServiceError | null {
    const { queue, policy, isDraining, streams } = this.#parts;
    const { chunk, tier, isAdmitted = false, mostWaitMs } = submit;
    const queuedChunks = queue.size;
    const beyondMemory = admitContinuation(queuedChunks, policy);
    const isNewStream = chunk.chunkIndex === 0 && chunk.attempt === 1;
    if (beyondMemory !== null || !isNewStream) return beyondMemory;
    const wait = this.#predictWait(pools, chunk.model, nowMs);
    const speech = isSpeech(submit) ? submit : null;
    if (speech !== null && tier === "live") this.#noteFirstSize(speech.chunk);
    const beginning = {
      mostWaitMs: Math.min(policy.admissionWaitMs, mostWaitMs ?? Number.POSITIVE_INFINITY),
      predictedMs: (tier === "free" ? wait.freeMs : wait.liveMs) + ownMs,
    };
    const latenessMs =
      speech === null ? Number.NEGATIVE_INFINITY : this.#headroom.latenessWith(speech, beginning, nowMs);
    if (latenessMs > 0 && tier === "live") for (const pool of pools) pool.fullAtMs = nowMs;
    const refusal = admitNewStream(
      {
        ...{ model: chunk.model, tier, isAdmitted, mostWaitMs, draining: isDraining(), served: pools.length > 0 },
        ...{ queuedChunks, wait },
        // Nobody waits for a first audio here: how long a piece takes says nothing about whether there is room.
        ownMs: speech === null ? 0 : ownMs,
        latenessMs,
        runningLateMs: this.#runningLateMs(pools, nowMs),
      },
      policy,
    );
    if (refusal !== null || speech === null) return refusal;
    streams.began(speech, beginning, nowMs);
    this.#headroom.admitted(speech, beginning);
    return null;
  }

  #noteFirstSize({ model, text }: SpeechChunk): void {
    const known = this.#firstSizes.get(model) ?? text.length;
    this.#firstSizes.set(model, known + LATEST_SHARE * (text.length - known));
  }

  #predictWait(pools: readonly WorkerPool[], model: string, nowMs: number): PredictedWait {
    const { queue, book, policy } = this.#parts;
    const options = { freeFloor: policy.floors.free ?? 0, speaks: speaks(pools, model), nowMs };
    return predictWait(pools, queue, book, options);
  }

  #serviceMs(chunk: WorkChunk, pools: readonly WorkerPool[]): number {
    const provider = pools[0]?.models.get(chunk.model)?.provider;
    return provider === undefined ? 0 : this.#parts.book.of(chunk.model, provider).predictP95Ms(1, workSize(chunk));
  }

  #runningLateMs(pools: readonly WorkerPool[], nowMs: number): number {
    let lateMs = Number.NEGATIVE_INFINITY;
    for (const pool of pools) {
      for (const name of pool.models.keys()) {
        const urgent = this.#parts.queue.model(name)?.head("urgent");
        if (urgent !== undefined) lateMs = Math.max(lateMs, nowMs - urgent.startByMs);
      }
    }
    return lateMs;
  }
}

function speaks(pools: readonly WorkerPool[], model: string): boolean {
  return pools[0]?.models.get(model)?.task === "speak";
}

function isSpeech(submit: Submit): submit is Submit & { chunk: SpeechChunk } {
  return submit.chunk.task === "speak";
}
