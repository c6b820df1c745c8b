import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AudioFrame, EdgeAudioInbound } from "#protocol/bus/audio";
import { ownerAudioSubject } from "#protocol/bus/audio";
import { type Heartbeat, membersSubject } from "#protocol/bus/membership";
import { type Batch, type BatchDone, schedulerDoneSubject, workerSubject } from "#protocol/bus/scheduling";
import { defaultSampling, neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { sendHeartbeats } from "#common/membership/heartbeat";
import { startNats } from "../harness/servers.js";

/** Everything that came so far, and waiting for what will come. */
export class Inbox<T> {
  readonly items: T[] = [];
  readonly #waiting = new Set<() => void>();

  add(item: T): void {
    this.items.push(item);
    for (const check of [...this.#waiting]) check();
  }

  /** The first item that matches, past or future; rejects after `withinMs`. */
  until(matches: (item: T) => boolean, withinMs = 10_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(
          new Error(
            `nothing matched within ${withinMs} ms among ${this.items.length} items; last: ${JSON.stringify(this.items.at(-1))?.slice(0, 300)}`,
          ),
        );
      }, withinMs);
      const check = (): void => {
        const found = this.items.find(matches);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** A real worker process on a real NATS server; the test is its scheduler and its edge. */
export interface WorkerRig {
  bus: Bus;
  natsUrl: string;
  audio: Inbox<EdgeAudioInbound>;
  done: Inbox<BatchDone>;
  members: Inbox<Heartbeat>;
  /** Says that a scheduler lives; gives how to end it. */
  addScheduler(id: string): () => void;
  /** Starts a worker and waits until it is ready and belongs to a scheduler. */
  startWorker(id: string, settings?: Record<string, string>): Promise<ChildProcess>;
  send(workerId: string, chunks: SpeechChunk[], batchId: string): void;
  stop(): Promise<void>;
}

export async function startWorkerRig(): Promise<WorkerRig> {
  const nats = await startNats();
  const bus = await connectNats({ url: nats.url, name: "test", log: createLogger("test", "fatal") });
  const [audio, done, members] = [new Inbox<EdgeAudioInbound>(), new Inbox<BatchDone>(), new Inbox<Heartbeat>()];
  bus.subscribe<EdgeAudioInbound>(ownerAudioSubject("edge-1"), (message) => audio.add(message));
  bus.subscribe<Heartbeat>(membersSubject, (message) => members.add(message));
  const children: ChildProcess[] = [];
  const ends: (() => void)[] = [];
  return {
    bus,
    natsUrl: nats.url,
    audio,
    done,
    members,
    addScheduler(id) {
      bus.subscribe<BatchDone>(schedulerDoneSubject(id), (message) => done.add(message));
      const heartbeat = (state: "ready" | "stopped"): Heartbeat => ({
        type: "heartbeat",
        role: "scheduler",
        id,
        epoch: "e",
        state,
        loads: [],
      });
      const heartbeats = sendHeartbeats({ bus, clock: systemClock, describe: () => heartbeat("ready") });
      const end = (): void => {
        heartbeats.stop();
        bus.publish(membersSubject, heartbeat("stopped"));
      };
      ends.push(heartbeats.stop);
      return end;
    },
    async startWorker(id, settings = {}) {
      const env = {
        PATH: process.env.PATH,
        NATS_URL: nats.url,
        PARLEY_MEMBER_ID: id,
        LOG_LEVEL: "error",
        PARLEY_DRAIN_MS: "8000",
        PARLEY_WORKER_MODELS: "espeak",
        ...settings,
      };
      const child = spawn(process.execPath, [join(import.meta.dirname, "../../workers/main.js")], {
        env,
        stdio: ["ignore", "inherit", "inherit"],
      });
      children.push(child);
      await members.until(
        (member) =>
          member.id === id && member.state === "ready" && member.role === "worker" && member.schedulerId !== null,
        30_000,
      );
      return child;
    },
    send(workerId, chunks, batchId) {
      const batch: Batch = {
        type: "batch",
        batchId,
        schedulerId: "scheduler-1",
        model: chunks[0]?.model ?? "",
        chunks: chunks.map((chunk) => ({ chunk, queuedUs: 123 })),
      };
      bus.publish(workerSubject(workerId), batch);
    },
    async stop() {
      for (const end of ends) end();
      for (const child of children) child.kill("SIGKILL");
      await bus.close();
      await nats.stop();
    },
  };
}

export function chunkFor(streamId: string, text: string, change: Partial<SpeechChunk> = {}): SpeechChunk {
  return {
    task: "speak",
    streamId,
    chunkIndex: 0,
    attempt: 1,
    ownerId: "edge-1",
    model: "espeak",
    text,
    normalize: true,
    voice: { speaker: null, language: null, speed: 1, traits: null },
    delivery: neutralDelivery,
    sampling: defaultSampling,
    pauseAfterMs: 0,
    seed: 7,
    maxSamples: 0,
    traceparent: null,
    ...change,
  };
}

export function framesOf(rig: WorkerRig, streamId: string): AudioFrame[] {
  return rig.audio.items.filter((item): item is AudioFrame => item.type === "audio" && item.streamId === streamId);
}

/** Process ids of the children of a process. */
export function childPids(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | null {
  try {
    // The name in parentheses may hold blanks: the fields are counted from its end.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    // It ended while we were looking.
    return null;
  }
}
