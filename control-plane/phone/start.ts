import type { Clock } from "#common/clock";
import { FailureNotice } from "#common/failure-notice";
import type { Logger } from "#common/log";
import type { InFlight } from "../in-flight.js";
import { repeatWork } from "../repeated-work.js";
import type { PhoneContext } from "./context.js";
import { alignGateway } from "./gateway/align.js";
import { sweepPhones } from "./sweep.js";

/** How late a number that a killed process left is taken up, and rent charged. */
const SWEEP_INTERVAL_MS = 5000;
/** How long trunks and rules of the LiveKit server may differ from the numbers. */
const ALIGN_INTERVAL_MS = 60_000;

export interface PhoneServiceOptions {
  context: PhoneContext;
  clock: Clock;
  /** What has to be done before the process ends. */
  inFlight: InFlight;
}

/** Finishes what was begun with numbers, charges their rent, and keeps the LiveKit server as they say. */
export function startPhones({ context, clock, inFlight }: PhoneServiceOptions): { stop(): void } {
  const { log, sip } = context;
  const [sweepNotice, alignNotice] = [new FailureNotice(), new FailureNotice()];
  const sweep = repeatWork({
    ...{ clock, log, problem: "phone numbers could not be looked after yet", retryMs: SWEEP_INTERVAL_MS },
    async work() {
      reportTo(log, sweepNotice, await inFlight.run(() => sweepPhones(context)));
      return SWEEP_INTERVAL_MS;
    },
  });
  const align =
    sip === null
      ? null
      : repeatWork({
          ...{ clock, log, problem: "phone numbers could not be compared with LiveKit SIP yet" },
          retryMs: ALIGN_INTERVAL_MS,
          async work() {
            const failuresOf = (error: unknown) => ({ failures: [error] });
            const alignment = await inFlight.run(() => alignGateway(context, sip).catch(failuresOf));
            if (alignment !== null) reportTo(log, alignNotice, alignment.failures);
            return ALIGN_INTERVAL_MS;
          },
        });
  return {
    stop() {
      sweep.stop();
      align?.stop();
    },
  };
}

/** Logs failures that are news: what is tried over and over fails over and over. */
function reportTo(log: Logger, notice: FailureNotice, failures: readonly unknown[]): void {
  for (const failure of failures) {
    const err = failure instanceof Error ? (failure.cause ?? failure) : failure;
    if (notice.isNews(failure)) log.warn({ err }, "a phone number could not be looked after; trying on");
  }
  if (failures.length === 0) notice.clear();
}
