import type { Clock } from "#common/clock";
import { HEARTBEAT_INTERVAL_MS, type ServedModel } from "#protocol/bus/membership";
import type { Batch, ChunkOutcome, WorkerInbound } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { Network } from "./network.js";

/** What one chunk costs and gives. */
export interface Engine {
  engineMs(chunk: SpeechChunk): number;
  audioMs(chunk: SpeechChunk): number;
}

const models: ServedModel[] = [
  { name: "voice", task: "speak", languages: ["*"], sampleRate: 24_000, speakers: [], maxBatch: 1, provider: "cpu" },
];

/** A worker that takes the engine's time for each chunk, and can be killed. */
export class SimulatedWorker {
  readonly #id: string;
  readonly #slots: number;
  readonly #network: Network;
  readonly #clock: Clock;
  readonly #engine: Engine;
  readonly #waiting: Batch[] = [];
  readonly #cancelled = new Map<string, number>();
  #schedulerId: string;
  #epoch = 0;
  #busy = 0;
  #alive = true;
  /** Largest number of batches held at once for one and the same scheduler: must never exceed the slots. */
  mostHeld = 0;
  readonly #heldFor = new Map<string, number>();

  constructor(options: {
    id: string;
    slots: number;
    schedulerId: string;
    network: Network;
    clock: Clock;
    engine: Engine;
    phaseMs: number;
  }) {
    this.#id = options.id;
    this.#slots = options.slots;
    this.#schedulerId = options.schedulerId;
    this.#network = options.network;
    this.#clock = options.clock;
    this.#engine = options.engine;
    options.network.workers.set(options.id, {
      receive: (message) => this.#receive(message),
      attach: (ids) => this.#attach(ids),
    });
    this.#say();
    this.#clock.after(options.phaseMs, () => this.#beat());
  }

  /** Everything it held is gone; it comes back after `restartMs` as a new epoch of the same member. */
  kill(restartMs: number): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#epoch += 1;
    this.#busy = 0;
    this.#waiting.length = 0;
    this.#heldFor.clear();
    this.#clock.after(restartMs, () => {
      this.#alive = true;
      this.#say();
    });
  }

  #beat(): void {
    this.#say();
    this.#clock.after(HEARTBEAT_INTERVAL_MS, () => this.#beat());
  }

  #say(): void {
    if (!this.#alive) return;
    this.#network.workerHeartbeat({
      type: "heartbeat",
      role: "worker",
      id: this.#id,
      epoch: String(this.#epoch),
      state: "ready",
      schedulerId: this.#schedulerId,
      slots: this.#slots,
      models,
      brokenModels: [],
    });
  }

  #attach(schedulerIds: readonly string[]): void {
    if (schedulerIds.includes(this.#schedulerId)) return;
    this.#schedulerId = schedulerIds[Number(this.#id.slice(1)) % schedulerIds.length] ?? this.#schedulerId;
    this.#say();
  }

  #receive(message: WorkerInbound): void {
    if (!this.#alive) return;
    if (message.type === "cancel") {
      this.#cancelled.set(message.streamId, message.fromChunk);
      return;
    }
    const held = (this.#heldFor.get(message.schedulerId) ?? 0) + 1;
    this.#heldFor.set(message.schedulerId, held);
    this.mostHeld = Math.max(this.mostHeld, held);
    this.#waiting.push(message);
    this.#work();
  }

  #work(): void {
    while (this.#busy < this.#slots) {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      this.#busy += 1;
      const epoch = this.#epoch;
      const engineMs = spoken(batch).reduce((sum, chunk) => sum + this.#engine.engineMs(chunk), 0);
      this.#clock.after(engineMs, () => {
        if (epoch === this.#epoch && this.#alive) this.#finish(batch, engineMs);
      });
    }
  }

  #finish(batch: Batch, engineMs: number): void {
    this.#busy -= 1;
    this.#heldFor.set(batch.schedulerId, (this.#heldFor.get(batch.schedulerId) ?? 1) - 1);
    const outcomes = spoken(batch).map((chunk): ChunkOutcome => {
      const audioMs = this.#engine.audioMs(chunk);
      this.#network.audio(chunk, audioMs);
      const { streamId, chunkIndex, attempt, text } = chunk;
      return {
        streamId,
        chunkIndex,
        attempt,
        result: "spoken",
        size: text.length,
        engineUs: engineMs * 1000,
        samples: audioMs * 24,
      };
    });
    const { batchId, model, schedulerId } = batch;
    this.#network.toScheduler(schedulerId, {
      type: "done",
      workerId: this.#id,
      epoch: String(this.#epoch),
      batchId,
      model,
      outcomes,
    });
    this.#work();
  }
}

/** This simulation speaks only. */
function spoken(batch: Batch): SpeechChunk[] {
  return batch.chunks.flatMap(({ chunk }) => (chunk.task === "speak" ? [chunk] : []));
}
