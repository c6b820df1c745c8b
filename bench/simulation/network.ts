import type { Clock } from "#common/clock";
import type { SchedulerLoad } from "#protocol/bus/membership";
import type { BatchDone, SchedulerInbound, Verdict, WorkerInbound } from "#protocol/bus/scheduling";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { WorkerHeartbeat } from "#scheduler/workers/worker-registry";

export interface SchedulerPort {
  receive(message: SchedulerInbound | BatchDone): void;
  receiveWorker(heartbeat: WorkerHeartbeat): void;
}

export interface WorkerPort {
  receive(message: WorkerInbound): void;
  /** A scheduler is known to be dead; these are left. */
  attach(schedulerIds: readonly string[]): void;
}

export interface EdgePort {
  verdict(message: Verdict): void;
  /** A chunk's audio has arrived. */
  audio(chunk: SpeechChunk, audioMs: number): void;
  receiveScheduler(schedulerId: string, loads: readonly SchedulerLoad[]): void;
  schedulerLost(schedulerId: string): void;
}

/** One hop over the bus. */
const HOP_MS = 0.1;

/** The bus: everyone by name, each message one hop late, in order. Messages to the dead vanish. */
export class Network {
  readonly schedulers = new Map<string, SchedulerPort>();
  readonly workers = new Map<string, WorkerPort>();
  readonly edges = new Map<string, EdgePort>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  toScheduler(id: string, message: SchedulerInbound | BatchDone): void {
    this.#clock.after(HOP_MS, () => this.schedulers.get(id)?.receive(message));
  }

  toWorker(id: string, message: WorkerInbound): void {
    this.#clock.after(HOP_MS, () => this.workers.get(id)?.receive(message));
  }

  toEdge(id: string, message: Verdict): void {
    this.#clock.after(HOP_MS, () => this.edges.get(id)?.verdict(message));
  }

  audio(chunk: SpeechChunk, audioMs: number): void {
    this.#clock.after(HOP_MS, () => this.edges.get(chunk.ownerId)?.audio(chunk, audioMs));
  }

  workerHeartbeat(heartbeat: WorkerHeartbeat): void {
    for (const scheduler of this.schedulers.values()) scheduler.receiveWorker(heartbeat);
  }

  schedulerHeartbeat(id: string, loads: readonly SchedulerLoad[]): void {
    for (const edge of this.edges.values()) edge.receiveScheduler(id, loads);
  }
}
