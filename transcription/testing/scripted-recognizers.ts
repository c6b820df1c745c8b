import { setImmediate as nextTurn } from "node:timers/promises";
import { membersSubject, type Heartbeat } from "#protocol/bus/membership";
import {
  type Cancel,
  ownerVerdictSubject,
  type SchedulerInbound,
  schedulerSubject,
  type Submit,
  type Verdict,
} from "#protocol/bus/scheduling";
import {
  type OwnerRecognitionInbound,
  ownerRecognitionSubject,
  ownerAudioRequestSubject,
  type AudioReply,
  type AudioRequest,
} from "#protocol/bus/recognition";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import {
  DETECTION_STEP_MS,
  type RecognizedWord,
  RECOGNITION_RATE,
  type AudioChunk,
} from "#protocol/transcription/chunk";
import { bytesToSamples } from "#audio/pcm";
import type { LocalBus } from "#common/bus/testing/local-bus";
import type { VirtualClock } from "#common/clock";

/** What goes wrong with one attempt at a piece. */
export type RecognitionFault =
  | { kind: "lost" | "failed" | "silent" | "duplicates" | "refused" | "broken" | "scheduler-dies" }
  | { kind: "late"; delayMs: number }
  | { kind: "bus-down"; forMs: number };

/** Engine time of a piece here, as a part of its length. */
const REAL_TIME_FACTOR = 0.02;

/** The words of a piece by these recognizers: one, that tells its samples apart from others. */
export function expectedWords(samples: Int16Array): RecognizedWord[] {
  const sum = samples.reduce((total, sample, at) => (total + sample * (at + 1)) % 1_000_003, samples.length);
  return [{ text: `w${sum}`, startMs: 0, endMs: (samples.length / RECOGNITION_RATE) * 1000, confidence: 1 }];
}

/** Two schedulers with workers that recognize, played by a script of faults on a virtual clock. */
export class ScriptedRecognizers {
  readonly submits: { schedulerId: string; submit: Submit & { chunk: AudioChunk }; atMs: number }[] = [];
  readonly cancels: (Cancel & { schedulerId: string })[] = [];
  readonly goneAnswers: string[] = [];
  readonly #options: ScriptedRecognizersOptions;
  readonly #alive = new Map<string, string>();
  #epoch = 0;

  constructor(options: ScriptedRecognizersOptions) {
    this.#options = options;
    for (const id of ["scheduler-a", "scheduler-b"]) {
      this.#alive.set(id, `epoch-${this.#epoch++}`);
      options.bus.subscribe<SchedulerInbound>(schedulerSubject(id), (message) => this.#receive(id, message));
    }
    this.#beat();
  }

  /** Makes a scheduler vanish for `forMs`; owners learn of it by its silence or its new epoch. */
  kill(schedulerId: string, forMs: number): void {
    this.#alive.delete(schedulerId);
    this.#options.clock.after(forMs, () => this.#alive.set(schedulerId, `epoch-${this.#epoch++}`));
  }

  #beat(): void {
    const { bus, clock } = this.#options;
    const models = ["asr", "vad"];
    for (const [id, epoch] of this.#alive) {
      const loads = models.map((model) => ({ model, slots: 2, freeSlots: 2, queuedChunks: 0, predictedWaitMs: 0 }));
      bus.publish(membersSubject, {
        type: "heartbeat",
        role: "scheduler",
        id,
        epoch,
        state: "ready",
        loads,
      } satisfies Heartbeat);
    }
    const served = (name: string, task: "transcribe" | "vad") =>
      ({
        name,
        task,
        languages: ["en"],
        sampleRate: RECOGNITION_RATE,
        speakers: [],
        maxBatch: 4,
        provider: "cpu",
      }) as const;
    bus.publish(membersSubject, {
      type: "heartbeat",
      role: "worker",
      id: "worker-a",
      epoch: "w",
      state: "ready",
      schedulerId: null,
      slots: 2,
      models: [
        { ...served("asr", "transcribe"), languages: ["en"], speakers: [] },
        { ...served("vad", "vad"), languages: ["*"], speakers: [] },
      ],
      brokenModels: [],
    } satisfies Heartbeat);
    clock.after(250, () => this.#beat());
  }

  #receive(schedulerId: string, message: SchedulerInbound): void {
    if (!this.#alive.has(schedulerId)) return;
    if (message.type === "cancel") return void this.cancels.push({ ...message, schedulerId });
    if (message.type === "text-ended") return;
    const { chunk } = message;
    if (chunk.task === "speak") return;
    this.submits.push({ schedulerId, submit: { ...message, chunk }, atMs: this.#options.clock.nowMs() });
    const fault = this.#options.faultOf?.(chunk.chunkIndex, chunk.attempt) ?? null;
    const takesMs =
      2 + (chunk.samples / RECOGNITION_RATE) * 1000 * REAL_TIME_FACTOR + (fault?.kind === "late" ? fault.delayMs : 0);
    this.#options.clock.after(takesMs, () => this.#work(schedulerId, chunk, fault));
  }

  #work(schedulerId: string, chunk: AudioChunk, fault: RecognitionFault | null): void {
    const { bus, clock } = this.#options;
    const { streamId, chunkIndex, attempt } = chunk;
    const error = toErrorRecord(new ServiceError("overloaded", { retryAfterMs: 700 }));
    const verdict = (message: Verdict): void => bus.publish(ownerVerdictSubject(chunk.ownerId), message);
    switch (fault?.kind) {
      case "lost":
        return verdict({ type: "lost", streamId, chunkIndex, attempt });
      case "refused":
        return verdict({ type: "refused", streamId, chunkIndex, attempt, error });
      case "failed":
      case "broken":
        return this.#send(chunk, {
          type: "failed",
          streamId,
          chunkIndex,
          attempt,
          retryable: fault.kind === "failed",
          error: toErrorRecord(new ServiceError("engine_failed")),
        });
      case "scheduler-dies":
        return this.kill(schedulerId, 4000);
      case "bus-down":
        if (!bus.isConnected()) return;
        bus.disconnect();
        clock.after(fault.forMs, () => bus.reconnect());
        return;
      case "silent":
        return;
      case "duplicates":
        void this.#recognize(chunk);
    }
    void this.#recognize(chunk);
  }

  async #recognize(chunk: AudioChunk): Promise<void> {
    const { bus } = this.#options;
    const { streamId, chunkIndex, attempt } = chunk;
    const question: AudioRequest = { type: "audio-request", streamId, chunkIndex };
    const options = { timeoutMs: 1000, dependency: "owner" };
    const reply = await bus
      .request<AudioReply>(ownerAudioRequestSubject(chunk.ownerId), question, options)
      .catch(() => null);
    if (reply === null) return;
    if (reply.type === "gone") return void this.goneAnswers.push(`${streamId}/${chunkIndex}`);
    const samples = bytesToSamples(reply.pcm);
    const about = { streamId, chunkIndex, attempt, workerId: "worker-a", timing: { queuedUs: 1, engineUs: 1 } };
    if (chunk.task === "vad")
      return this.#send(chunk, { ...about, type: "vad", speech: (this.#options.vad ?? loudness)(samples) });
    this.#send(chunk, {
      ...about,
      type: "recognized",
      language: "en",
      words: (this.#options.words ?? expectedWords)(samples),
    });
  }

  #send(chunk: AudioChunk, message: OwnerRecognitionInbound): void {
    this.#options.bus.publish(ownerRecognitionSubject(chunk.ownerId), message);
  }
}

export interface ScriptedRecognizersOptions {
  bus: LocalBus;
  clock: VirtualClock;
  faultOf?: (chunkIndex: number, attempt: number) => RecognitionFault | null;
  /** What a recognizer recognizes; `expectedWords` when absent. */
  words?: (samples: Int16Array) => RecognizedWord[];
  /** What a detector says; whether it is loud when absent. */
  vad?: (samples: Int16Array) => Uint8Array;
}

function loudness(samples: Int16Array): Uint8Array {
  const step = (RECOGNITION_RATE * DETECTION_STEP_MS) / 1000;
  return Uint8Array.from({ length: Math.floor(samples.length / step) }, (_, at) =>
    samples.subarray(at * step, (at + 1) * step).some((sample) => Math.abs(sample) > 1000) ? 255 : 0,
  );
}

/** Lets `durationMs` of virtual time pass, with everything asynchronous in between done. */
export async function pass(clock: VirtualClock, durationMs: number, stepMs = 20): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    await nextTurn();
    clock.advance(stepMs);
  }
  for (let turn = 0; turn < 5; turn++) await nextTurn();
}
