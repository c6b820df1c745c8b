import type { Clock } from "#common/clock";
import { FailureNotice } from "#common/failure-notice";
import type { Bus } from "#common/bus/bus";
import type { InFlight } from "../in-flight.js";
import { repeatWork } from "../repeated-work.js";
import type { CallContext } from "./context.js";
import { forgetLines, takeLine, untaken } from "./inbound.js";
import type { PhoneLines } from "./lines.js";
import { type LineCame, lineCameSubject } from "./livekit-events.js";
import { isGatewayUsed } from "../phone/gateway/align.js";

/** How late a call is taken that LiveKit does not tell of. As long as it tells of none, it is asked more often. */
const LOOK_MS = 30_000;
const SILENT_LOOK_MS = 2000;
/** LiveKit tells of a caller before LiveKit SIP has said whose call it is. */
const TELL_AGAIN_MS = 100;
const TELLS = 20;
const FORGET_MS = 3_600_000;

export interface CallServiceOptions {
  context: CallContext;
  /** Null where no LiveKit server is configured. */
  lines: PhoneLines | null;
  clock: Clock;
  /** What has to be done before the process ends. */
  inFlight: InFlight;
  bus: Pick<Bus, "subscribe">;
}

/** Takes the calls that come in. */
export interface CallService {
  stop(): void;
}

/** Of several control planes, one takes what LiveKit tells of. */
const QUEUE_GROUP = "control-plane";

/** Takes calls that come in, as LiveKit tells of them, and by asking it again and again. */
export function startCalls({ context, lines, clock, inFlight, bus }: CallServiceOptions): CallService {
  const { log } = context.sessions;
  if (lines === null) return { stop: () => undefined };
  const notice = new FailureNotice();
  const underWay = new Set<string>();
  let isNotified = false;
  let isStopped = false;
  const take = async (room: string, isLast: boolean): Promise<"seen" | "unseen"> => {
    if (underWay.has(room)) return "seen";
    underWay.add(room);
    try {
      return await inFlight.run(() => takeLine(context, lines, room));
    } catch (error) {
      if (notice.isNews(error)) log.warn({ err: error }, "a call that came in could not be taken yet");
      return isLast ? "seen" : "unseen";
    } finally {
      underWay.delete(room);
    }
  };
  const notices = bus.subscribe<LineCame>(
    lineCameSubject,
    ({ room }) => {
      isNotified = true;
      void follow(room);
    },
    { queue: QUEUE_GROUP },
  );
  const follow = async (room: string): Promise<void> => {
    for (let tell = 1; tell <= TELLS && !isStopped; tell++) {
      if ((await take(room, tell === TELLS)) === "seen") return;
      await new Promise<void>((resolve) => void clock.after(TELL_AGAIN_MS, resolve));
    }
  };
  const problem = "calls that came in could not be looked for";
  const look = repeatWork({
    ...{ clock, log, problem, retryMs: SILENT_LOOK_MS },
    async work() {
      if (await isGatewayUsed(context.phones)) {
        const rooms = await untaken(context, await lines.rooms());
        // LiveKit should have told of these: it may have lost the way.
        if (rooms.length > 0) isNotified = false;
        for (const room of rooms) void take(room, true);
      }
      return isNotified ? LOOK_MS : SILENT_LOOK_MS;
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
    stop() {
      isStopped = true;
      notices.unsubscribe();
      look.stop();
      forget.stop();
    },
  };
}
