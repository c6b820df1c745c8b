import type { Clock } from "#common/clock";
import type { SchedulerLoad } from "#protocol/bus/membership";
import type { Verdict } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { Network } from "./network.js";
import type { Random } from "./random.js";
import { chunkOf, type SimulatedStream, type StreamEnd } from "./simulated-stream.js";

/** Chunks under way at once per stream. */
const WINDOW = 3;
/** A stream this far ahead of its listener submits no more for now. */
const MOST_AHEAD_MS = 10_000;
const FIRST_AUDIO_GOAL_MS = 200;
const MOST_ATTEMPTS = 3;
/** A caller tries again this often when refused. */
const PATIENCE = 2;

/** An edge: picks schedulers by their load, submits, puts chunks in order, submits again what was lost. */
export class SimulatedEdge {
  readonly #id: string;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #loads = new Map<string, SchedulerLoad>();
  readonly #streams = new Map<string, SimulatedStream>();
  resubmissions = 0;

  constructor(options: { id: string; network: Network; clock: Clock; random: Random }) {
    this.#id = options.id;
    this.#network = options.network;
    this.#clock = options.clock;
    this.#random = options.random;
    options.network.edges.set(options.id, {
      verdict: (message) => this.#verdict(message),
      audio: (chunk, audioMs) => this.#audio(chunk, audioMs),
      receiveScheduler: (id, loads) => this.#receive(id, loads),
      schedulerLost: (id) => this.#schedulerLost(id),
    });
  }

  open(stream: SimulatedStream): void {
    this.#streams.set(stream.id, stream);
    this.#fill(stream);
  }

  #receive(id: string, loads: readonly SchedulerLoad[]): void {
    const load = loads.find((one) => one.model === "voice");
    if (load === undefined) this.#loads.delete(id);
    else this.#loads.set(id, load);
  }

  #fill(stream: SimulatedStream): void {
    while (stream.end === null && stream.nextToSubmit < stream.chunks.length && stream.inFlight.size < WINDOW) {
      const aheadMs = stream.player.bufferedMs(this.#clock.nowMs()) - MOST_AHEAD_MS;
      if (stream.tier !== "bulk" && stream.player.startedAtMs !== null && aheadMs > 0) {
        this.#clock.after(aheadMs + 1, () => this.#fill(stream));
        return;
      }
      // The first chunk goes alone: the rest follows once it was taken and spoken.
      if (stream.nextToSubmit === 1 && stream.nextToReceive === 0) return;
      this.#submit(stream, stream.nextToSubmit, 1);
      stream.nextToSubmit += 1;
    }
  }

  #submit(stream: SimulatedStream, chunkIndex: number, attempt: number): void {
    if (attempt > MOST_ATTEMPTS) return this.#end(stream, "failed");
    stream.inFlight.set(chunkIndex, attempt);
    stream.schedulerId ??= this.#choose();
    const schedulerId = stream.schedulerId;
    if (schedulerId === null) return this.#end(stream, "failed");
    const { player, tier } = stream;
    const slackMs = player.startedAtMs === null ? FIRST_AUDIO_GOAL_MS : player.bufferedMs(this.#clock.nowMs());
    this.#network.toScheduler(schedulerId, {
      type: "submit",
      chunk: chunkOf(stream, this.#id, chunkIndex, attempt),
      tier,
      slackMs,
    });
  }

  /** The better of two picked at random: load reports are up to a heartbeat old, and everyone would run to the best. */
  #choose(): string | null {
    const ids = [...this.#loads.keys()];
    const one = ids[this.#random.below(ids.length)];
    const other = ids[this.#random.below(ids.length)];
    if (one === undefined || other === undefined) return null;
    const burden = (id: string): number => {
      const load = this.#loads.get(id);
      return load === undefined
        ? Number.POSITIVE_INFINITY
        : load.predictedWaitMs - load.freeSlots / Math.max(1, load.slots);
    };
    return burden(other) < burden(one) ? other : one;
  }

  #verdict(verdict: Verdict): void {
    const stream = this.#streams.get(verdict.streamId);
    if (stream === undefined || stream.end !== null || stream.inFlight.get(verdict.chunkIndex) !== verdict.attempt)
      return;
    if (verdict.type === "lost") {
      this.resubmissions += 1;
      return this.#submit(stream, verdict.chunkIndex, verdict.attempt + 1);
    }
    stream.refusals += 1;
    if (stream.refusals > PATIENCE) return this.#end(stream, stream.nextToReceive === 0 ? "refused" : "failed");
    stream.schedulerId = null;
    this.#clock.after(verdict.error.retryAfterMs ?? 1000, () =>
      this.#submit(stream, verdict.chunkIndex, verdict.attempt),
    );
  }

  #audio(chunk: SpeechChunk, audioMs: number): void {
    const stream = this.#streams.get(chunk.streamId);
    if (stream === undefined || !stream.inFlight.delete(chunk.chunkIndex)) return;
    stream.early.set(chunk.chunkIndex, audioMs);
    const nowMs = this.#clock.nowMs();
    for (
      let next = stream.early.get(stream.nextToReceive);
      next !== undefined;
      next = stream.early.get(stream.nextToReceive)
    ) {
      stream.early.delete(stream.nextToReceive);
      stream.nextToReceive += 1;
      stream.player.receive(next, nowMs);
    }
    const complete = stream.nextToReceive === stream.chunks.length;
    if (stream.speed === null && (complete || stream.player.bufferedMs(nowMs) > MOST_AHEAD_MS)) {
      stream.speed = stream.player.playedMs / (nowMs - stream.arrivedAtMs);
    }
    if (complete) this.#end(stream, "completed");
    else this.#fill(stream);
  }

  #schedulerLost(id: string): void {
    this.#loads.delete(id);
    for (const stream of this.#streams.values()) {
      if (stream.schedulerId !== id) continue;
      stream.schedulerId = null;
      for (const [chunkIndex, attempt] of [...stream.inFlight]) {
        this.resubmissions += 1;
        this.#submit(stream, chunkIndex, attempt + 1);
      }
    }
  }

  #end(stream: SimulatedStream, end: StreamEnd): void {
    stream.end = end;
    stream.endedAtMs = this.#clock.nowMs();
    this.#streams.delete(stream.id);
  }
}
