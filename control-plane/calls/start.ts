import type { Clock } from "#common/clock";
import { FailureNotice } from "#common/failure-notice";
import type { InFlight } from "../in-flight.js";
import { repeatWork } from "../repeated-work.js";
import type { CallContext } from "./context.js";
import { forgetLines, takeLine, untaken } from "./inbound.js";
import type { PhoneLines } from "./lines.js";
import { isGatewayUsed } from "../phone/gateway/align.js";

/** How late a call is taken that LiveKit did not tell of. */
const LOOK_MS = 2000;
const FORGET_MS = 3_600_000;

export interface CallServiceOptions {
  context: CallContext;
  /** Null where no LiveKit server is configured. */
  lines: PhoneLines | null;
  clock: Clock;
  /** What has to be done before the process ends. */
  inFlight: InFlight;
}

/** Takes the calls that come in. */
export interface CallService {
  /** A call may have come into this room. */
  look(room: string): void;
  stop(): void;
}

/** Takes calls that come in, as LiveKit tells of them, and by asking it again and again. */
export function startCalls({ context, lines, clock, inFlight }: CallServiceOptions): CallService {
  const { log } = context.sessions;
  if (lines === null) return { look: () => undefined, stop: () => undefined };
  const notice = new FailureNotice();
  const underWay = new Set<string>();
  const take = (room: string): void => {
    if (underWay.has(room)) return;
    underWay.add(room);
    void inFlight
      .run(() => takeLine(context, lines, room))
      .catch((error: unknown) => {
        if (notice.isNews(error)) log.warn({ err: error }, "a call that came in could not be taken yet");
      })
      .finally(() => underWay.delete(room));
  };
  const problem = "calls that came in could not be looked for";
  const look = repeatWork({
    ...{ clock, log, problem, retryMs: LOOK_MS },
    async work() {
      if (await isGatewayUsed(context.phones)) {
        for (const room of await untaken(context, await lines.rooms())) take(room);
      }
      return LOOK_MS;
    },
  });
  const forget = repeatWork({
    ...{ clock, log, problem: "calls that are long over could not be forgotten", retryMs: FORGET_MS },
    async work() {
      await forgetLines(context);
      return FORGET_MS;
    },
  });
  return {
    look: take,
    stop() {
      look.stop();
      forget.stop();
    },
  };
}
