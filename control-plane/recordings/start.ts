import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { S3Client } from "#common/objects/s3-client";
import { FailureNotice } from "#common/failure-notice";
import { toServiceError } from "../database/failure.js";
import type { InFlight } from "../in-flight.js";
import { type FinishContext, finishNext } from "./finish-recordings.js";
import { recordingObjects } from "./recording-objects.js";
import { deleteExpired } from "./retention.js";

/** Between two looks for recordings to finish. */
const LOOK_MS = 1000;
/** Between two looks for recordings whose time is over. */
const RETENTION_MS = 60_000;

export interface RecordingServiceOptions extends Omit<FinishContext, "objects"> {
  /** How long recordings are kept; null is for ever. */
  retentionMs: number | null;
  bus: Pick<Bus, "isConnected" | "objects">;
  s3: S3Client | null;
  clock: Clock;
  /** What has to be done before the process ends. */
  inFlight: InFlight;
}

/** Finishes recordings whose sessions are over, and deletes those whose time is, until it is stopped. */
export function startRecordings(options: RecordingServiceOptions): { stop(): void } {
  const { retentionMs, bus, clock, inFlight } = options;
  const context: FinishContext = { ...options, objects: recordingObjects(options) };
  const notice = new FailureNotice();
  let isStopped = false;
  const cancels = new Set<() => void>();
  const isStopping = (): boolean => isStopped;
  const finishAll = async (): Promise<void> => {
    while (!isStopped && (await finishNext(context, isStopping)));
  };

  function repeat(everyMs: number, work: () => Promise<void>): void {
    const cancel = clock.after(everyMs, () => {
      cancels.delete(cancel);
      void inFlight.run(() => attempt(work)).then(() => repeat(everyMs, work));
    });
    if (isStopped) cancel();
    else cancels.add(cancel);
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    // While the bus is away no object can be read.
    if (isStopped || !bus.isConnected()) return;
    try {
      await work();
      notice.clear();
    } catch (error) {
      const known = toServiceError(error);
      if (!isStopped && notice.isNews(known))
        context.log.warn({ err: known.cause ?? known }, "recordings could not be looked after; trying on");
    }
  }

  repeat(LOOK_MS, finishAll);
  if (retentionMs !== null) repeat(RETENTION_MS, () => deleteExpired(context, retentionMs));
  return {
    stop() {
      isStopped = true;
      for (const cancel of cancels) cancel();
    },
  };
}
