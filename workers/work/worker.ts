import { type BrokenModel, type Heartbeat, type LifecycleState, ownsWork } from "#protocol/bus/membership";
import { type BatchDone, schedulerDoneSubject, workerSubject } from "#protocol/bus/scheduling";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { followMembers, sendHeartbeats } from "#common/membership/heartbeat";
import type { SpeechEngine } from "../engines/engine.js";
import type { Recognizer } from "../engines/recognizer.js";
import { chooseScheduler } from "./attachment.js";
import type { BatchContext } from "./batch-context.js";
import { parseInbound, unreadableBatch } from "./inbound.js";
import { runBatch } from "./run-batch.js";
import { RunningChunks } from "./running.js";
import type { WorkerTelemetry } from "../telemetry/worker-telemetry.js";

/** How long a scheduler may take to learn that this worker is draining. */
const DRAIN_GRACE_MS = 100;

export interface WorkerOptions {
  bus: Bus;
  clock: Clock;
  log: Logger;
  id: string;
  epoch: string;
  state: () => LifecycleState;
  /** Chunks that run at once. */
  slots: number;
  /** Further ones, for speech that somebody waits for now. */
  reservedSlots: number;
  engines: ReadonlyMap<string, SpeechEngine>;
  recognizers: ReadonlyMap<string, Recognizer>;
  brokenModels: BrokenModel[];
  telemetry: WorkerTelemetry;
}

export interface RunningWorker {
  /** Chunks being spoken or recognized. */
  runningChunks(): number;
  /** Whether a scheduler may send it work. */
  isAttached(): boolean;
  /** Tells the cluster, and resolves when the running ones are finished and answered. */
  drain(): Promise<void>;
  /** Leaves the cluster at once; chunks still running are cancelled. */
  stop(): Promise<void>;
}

/** Joins the cluster: says what it serves, belongs to one scheduler at a time, does the batches that it is sent. */
export function startWorker(options: WorkerOptions): RunningWorker {
  const { bus, clock, log, id, epoch, slots, reservedSlots, engines, recognizers, brokenModels, telemetry } = options;
  const running = new RunningChunks();
  const batches = new Set<Promise<void>>();
  let schedulerId: string | null = null;
  let stopped = false;

  const describe = (): Heartbeat => ({
    type: "heartbeat",
    role: "worker",
    id,
    epoch,
    state: stopped ? "stopped" : options.state(),
    schedulerId,
    slots,
    reservedSlots,
    models: [
      ...[...engines.values()].map((engine) => ({ ...engine.describe(), convertsRate: true })),
      ...[...recognizers.values()].map((engine) => engine.describe()),
    ],
    brokenModels,
  });

  const context: BatchContext = {
    bus,
    clock,
    log,
    workerId: id,
    epoch,
    running,
    telemetry,
    speakerOf: (model) => engines.get(model),
    recognizerOf: (model) => recognizers.get(model),
  };
  const subscription = bus.subscribe<unknown>(workerSubject(id), (raw) => {
    const parsed = parseInbound(raw);
    if (!parsed.ok) return refuse(raw, parsed.reason, context);
    const message = parsed.message;
    if (message.type === "cancel") return running.cancel(message);
    const batch: Promise<void> = runBatch(message, context)
      .catch((error: unknown) => log.error({ err: error, batchId: message.batchId }, "a batch was not answered"))
      .finally(() => batches.delete(batch));
    batches.add(batch);
  });

  const heartbeats = sendHeartbeats({ bus, clock, describe });
  const following = followMembers({
    bus,
    clock,
    onChange: ({ type, member }) => {
      if (ownsWork(member.role) && type === "lost") running.cancelEdge(member.id);
      if (member.role === "scheduler") attach();
    },
  });

  function attach(): void {
    const live = following.members.ofRole("scheduler").filter((scheduler) => scheduler.state === "ready");
    const chosen = chooseScheduler(
      id,
      live.map((scheduler) => scheduler.id),
    );
    if (chosen === schedulerId) return;
    log.info({ from: schedulerId, to: chosen }, "now belongs to another scheduler");
    schedulerId = chosen;
    heartbeats.say();
  }

  return {
    runningChunks: () => running.size,
    isAttached: () => schedulerId !== null,
    async drain() {
      heartbeats.say();
      // Batches that the scheduler sent before it learned of the drain still count as taken.
      await new Promise<void>((resolve) => clock.after(DRAIN_GRACE_MS, resolve));
      while (batches.size > 0) await Promise.all(batches);
      await bus.flush();
    },
    async stop() {
      stopped = true;
      heartbeats.say();
      heartbeats.stop();
      following.stop();
      subscription.unsubscribe();
      running.cancelAll();
      await bus.flush();
    },
  };
}

/** Answers a batch that cannot be read, so that the scheduler gets its slot back. */
function refuse(raw: unknown, reason: string, { bus, log, workerId, epoch }: BatchContext): void {
  log.error({ reason }, "refused a malformed message");
  const batch = unreadableBatch(raw);
  if (batch === null) return;
  const { batchId, model, schedulerId } = batch;
  const done: BatchDone = { type: "done", workerId, epoch, batchId, model, outcomes: [] };
  bus.publish(schedulerDoneSubject(schedulerId), done);
}
