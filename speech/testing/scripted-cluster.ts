import { type AudioFrame, type EdgeAudioInbound, ownerAudioSubject } from "#protocol/bus/audio";
import { membersSubject, type Heartbeat } from "#protocol/bus/membership";
import {
  ownerVerdictSubject,
  type SchedulerInbound,
  schedulerSubject,
  type Submit,
  type Verdict,
} from "#protocol/bus/scheduling";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { SpeechChunk } from "#protocol/speech/chunk";
import type { Clock } from "#common/clock";
import { samplesToBytes } from "#audio/pcm";
import type { LocalBus } from "#common/bus/testing/local-bus";

/** What goes wrong with one attempt at a chunk. `afterFrames` counts the frames that still arrive. */
export type Fault =
  | { kind: "lost"; afterFrames: number }
  | { kind: "failed"; afterFrames: number }
  | { kind: "dropped-frame"; frame: number }
  | { kind: "silent"; afterFrames: number }
  | { kind: "duplicates" }
  | { kind: "late"; delayMs: number }
  | { kind: "scheduler-dies"; afterFrames: number }
  | { kind: "bus-down"; afterFrames: number; forMs: number }
  | { kind: "refused" }
  | { kind: "soundless" }
  | { kind: "broken" };

export const SAMPLE_RATE = 8000;
const SAMPLES_PER_CHARACTER = 400;
const FRAME_SAMPLES = 1700;

/** The audio of a chunk: depends on what decides a real one's, so that a wrong seed or text shows. */
export function expectedSamples(chunk: Pick<SpeechChunk, "text" | "seed" | "pauseAfterMs">): Int16Array {
  const length = chunk.text.length * SAMPLES_PER_CHARACTER + (chunk.pauseAfterMs * SAMPLE_RATE) / 1000;
  return Int16Array.from({ length }, (_, at) => ((chunk.seed ^ (at * 7919)) % 30000) | 0);
}

/** Two schedulers and their workers, played by a script of faults on a virtual clock. Speaks at ten times real time. */
export class ScriptedCluster {
  readonly submits: { schedulerId: string; submit: Submit & { chunk: SpeechChunk }; atMs: number }[] = [];
  readonly cancels: string[] = [];
  readonly #options: {
    bus: LocalBus;
    clock: Clock;
    model: string;
    ownerId: string;
    faultOf: (chunkIndex: number, attempt: number) => Fault | null;
  };
  readonly #alive = new Map<string, string>();
  #epoch = 0;

  constructor(options: {
    bus: LocalBus;
    clock: Clock;
    model: string;
    ownerId: string;
    faultOf: (chunkIndex: number, attempt: number) => Fault | null;
  }) {
    this.#options = options;
    for (const id of ["scheduler-a", "scheduler-b"]) {
      this.#alive.set(id, `epoch-${this.#epoch++}`);
      options.bus.subscribe<SchedulerInbound>(schedulerSubject(id), (message) => this.#receive(id, message));
    }
    this.#beat();
  }

  /** Makes a scheduler vanish for `forMs`; the edge notices by its silence or its new epoch. */
  kill(schedulerId: string, forMs: number): void {
    this.#alive.delete(schedulerId);
    this.#options.clock.after(forMs, () => this.#alive.set(schedulerId, `epoch-${this.#epoch++}`));
  }

  #beat(): void {
    const { bus, clock, model } = this.#options;
    for (const [id, epoch] of this.#alive) {
      const loads = [{ model, slots: 2, freeSlots: 2, queuedChunks: 0, predictedWaitMs: 0 }];
      bus.publish(membersSubject, {
        type: "heartbeat",
        role: "scheduler",
        id,
        epoch,
        state: "ready",
        loads,
      } satisfies Heartbeat);
    }
    const served = {
      name: model,
      task: "speak" as const,
      languages: ["*"],
      sampleRate: SAMPLE_RATE,
      speakers: ["zoe"],
      maxBatch: 1,
      provider: "cpu",
    };
    bus.publish(membersSubject, {
      type: "heartbeat",
      role: "worker",
      id: "worker-a",
      epoch: "w",
      state: "ready",
      schedulerId: null,
      slots: 2,
      models: [served],
      brokenModels: [],
    } satisfies Heartbeat);
    clock.after(250, () => this.#beat());
  }

  #receive(schedulerId: string, message: SchedulerInbound): void {
    if (!this.#alive.has(schedulerId)) return;
    if (message.type === "cancel") {
      this.cancels.push(schedulerId);
      return;
    }
    if (message.type === "text-ended") return;
    const { chunk } = message;
    if (chunk.task !== "speak") return;
    this.submits.push({ schedulerId, submit: { ...message, chunk }, atMs: this.#options.clock.nowMs() });
    this.#speak(schedulerId, chunk);
  }

  #speak(schedulerId: string, chunk: SpeechChunk): void {
    const fault = this.#options.faultOf(chunk.chunkIndex, chunk.attempt);
    if (fault?.kind === "refused") return this.#verdict(chunk, "refused");
    if (fault?.kind === "broken") return this.#failed(chunk, false);
    const frames = this.#frames(chunk, fault?.kind === "soundless" ? new Int16Array() : expectedSamples(chunk));
    const arriving = fault !== null && "afterFrames" in fault ? frames.slice(0, fault.afterFrames) : frames;
    let delayMs = 2 + (fault?.kind === "late" ? fault.delayMs : 0);
    for (const [index, frame] of arriving.entries()) {
      if (fault?.kind === "dropped-frame" && index === fault.frame) continue;
      delayMs += (FRAME_SAMPLES / SAMPLE_RATE) * 100;
      this.#after(delayMs, () => this.#send(frame));
      if (fault?.kind === "duplicates") this.#after(delayMs + 30, () => this.#send(frame));
    }
    if (fault !== null) this.#after(delayMs + 1, () => this.#strike(schedulerId, chunk, fault));
  }

  #strike(schedulerId: string, chunk: SpeechChunk, fault: Fault): void {
    const { bus, clock } = this.#options;
    if (fault.kind === "lost") this.#verdict(chunk, "lost");
    if (fault.kind === "failed") this.#failed(chunk, true);
    if (fault.kind === "scheduler-dies") this.kill(schedulerId, 4000);
    if (fault.kind === "bus-down" && bus.isConnected()) {
      bus.disconnect();
      clock.after(fault.forMs, () => bus.reconnect());
    }
  }

  #frames(chunk: SpeechChunk, samples: Int16Array): AudioFrame[] {
    const frames: AudioFrame[] = [];
    for (let first = 0; first < Math.max(1, samples.length); first += FRAME_SAMPLES) {
      const part = samples.slice(first, first + FRAME_SAMPLES);
      const last = first + FRAME_SAMPLES >= samples.length;
      const startMs = (first / SAMPLE_RATE) * 1000;
      frames.push({
        type: "audio",
        streamId: chunk.streamId,
        chunkIndex: chunk.chunkIndex,
        attempt: chunk.attempt,
        workerId: "worker-a",
        firstSample: first,
        sampleRate: SAMPLE_RATE,
        pcm: samplesToBytes(part),
        last,
        timing: first === 0 ? { queuedUs: 100, engineUs: 2000 } : null,
        words: [{ text: `w${first}`, startMs, endMs: startMs + 100, sourceStart: first, sourceEnd: first + 1 }],
      });
    }
    return frames;
  }

  #send(message: EdgeAudioInbound): void {
    this.#options.bus.publish(ownerAudioSubject(this.#options.ownerId), message);
  }

  #failed(chunk: SpeechChunk, retryable: boolean): void {
    const { streamId, chunkIndex, attempt } = chunk;
    this.#send({
      type: "failed",
      streamId,
      chunkIndex,
      attempt,
      retryable,
      error: toErrorRecord(new ServiceError("engine_failed")),
    });
  }

  #verdict(chunk: SpeechChunk, type: "lost" | "refused"): void {
    const { streamId, chunkIndex, attempt } = chunk;
    const error = toErrorRecord(new ServiceError("overloaded", { retryAfterMs: 700 }));
    const verdict: Verdict =
      type === "lost" ? { type, streamId, chunkIndex, attempt } : { type, streamId, chunkIndex, attempt, error };
    this.#after(1, () => this.#options.bus.publish(ownerVerdictSubject(this.#options.ownerId), verdict));
  }

  #after(delayMs: number, action: () => void): void {
    this.#options.clock.after(delayMs, action);
  }
}
