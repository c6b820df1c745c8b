import type { Bus } from "#common/bus/bus";
import { systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { sendHeartbeats } from "#common/membership/heartbeat";
import type { LifecycleState, ServedModel } from "#protocol/bus/membership";

/** Stands in for a worker: says what it serves, and does nothing. */
export interface WorkerStandIn {
  /** Says at once that it serves these, in this state. */
  serve(models: ServedModel[], state?: LifecycleState): void;
  /** As a process that was killed. */
  kill(): void;
}

export function model(name: string, task: ServedModel["task"], languages: string[] = ["*"]): ServedModel {
  return { name, task, languages, sampleRate: 24_000, speakers: [], maxBatch: 1, provider: "cpu" };
}

/** A recognizer and a voice for any language. */
export const everySpeech = [model("asr", "transcribe"), model("s2.1-pro", "speak")];

export function startWorker(bus: Bus, models: ServedModel[] = everySpeech): WorkerStandIn {
  const id = `worker-${newIdentifier().slice(0, 8)}`;
  const epoch = newIdentifier();
  let said: { models: ServedModel[]; state: LifecycleState } = { models, state: "ready" };
  const heartbeats = sendHeartbeats({
    bus,
    clock: systemClock,
    describe: () => ({
      ...{ type: "heartbeat", role: "worker", id, epoch, schedulerId: null, slots: 1, brokenModels: [] },
      ...said,
    }),
  });
  return {
    serve(models, state = "ready") {
      said = { models, state };
      heartbeats.say();
    },
    kill: () => heartbeats.stop(),
  };
}
