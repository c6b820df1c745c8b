import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { SpeechEngine } from "../engines/engine.js";
import type { ListenEngine } from "../engines/recognizer.js";
import type { WorkerWatch } from "../telemetry/worker-telemetry.js";
import type { RunningChunks } from "./running.js";

/** What running a batch needs of its worker. */
export interface BatchContext {
  bus: Bus;
  clock: Clock;
  log: Logger;
  workerId: string;
  epoch: string;
  running: RunningChunks;
  watch: WorkerWatch;
  speakerOf(model: string): SpeechEngine | undefined;
  listenerOf(model: string): ListenEngine | undefined;
}
