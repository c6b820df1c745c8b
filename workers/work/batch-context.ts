import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import type { SpeechEngine } from "../engines/engine.js";
import type { Recognizer } from "../engines/recognizer.js";
import type { WorkerTelemetry } from "../telemetry/worker-telemetry.js";
import type { RunningChunks } from "./running.js";

/** What running a batch needs of its worker. */
export interface BatchContext {
  bus: Bus;
  clock: Clock;
  log: Logger;
  workerId: string;
  epoch: string;
  running: RunningChunks;
  telemetry: WorkerTelemetry;
  speakerOf(model: string): SpeechEngine | undefined;
  recognizerOf(model: string): Recognizer | undefined;
}
