import type { SessionDetail } from "#protocol/agents/session";
import { deferred } from "#common/deferred";
import { until } from "../harness/processes.js";
import { answers, type Behaviour } from "../sip/telephone/behaviour.js";
import type { PhoneCall } from "../sip/telephone/phone-call.js";
import { recordsOf } from "../survival/one-kill.js";
import { type PhonePlatform, type SeparatePhonePlatform, sessionIsOver } from "./phone-platform.js";

/** What carries the calls themselves. With LiveKit SIP its calls are gone; LiveKit's come back to their rooms. */
export const carriers = ["livekit", "livekit-sip"] as const;
export type Carrier = (typeof carriers)[number];

/** Where in a call its carrier is killed: while it rings, as it is picked up, while both talk, as it is hung up on. */
export const moments = ["ringing", "answered", "talking", "hung-up"] as const;
export type Moment = (typeof moments)[number];

/** What became of a call whose carrier was killed. */
export interface LostCall {
  sessionId: string;
  /** Of whoever picked up a call that never began, where something is left that can hang up on them; else null. */
  abandoned: PhoneCall | null;
  /** The agent answered a question after the kill. */
  wentOn: boolean;
  /** Its session was over before anybody hung up. */
  wasOver: boolean;
  status: string;
  dialStatus: string | null;
  endedReason: string | null;
  hasBegun: boolean;
  /** From the kill to the end of the session, or from the hanging up of a call that went on. */
  endedAfterMs: number;
  dials: number;
  /** How often its end was told. */
  ends: number;
}

/** A session is over so soon after its call is. */
const MOST_ENDING_MS = 30_000;
/** A room is deleted again a minute after its call. */
const MOST_ABANDONED_MS = 90_000;
/** How long a call may take to go on. */
const ANSWER_MS = 10_000;

let numbers = 0;

/** Has the agent call, kills what carries the call at a moment of it, and brings that back. */
export async function killUnderCall(
  platform: SeparatePhonePlatform,
  { victim, moment }: { victim: Carrier; moment: Moment },
): Promise<LostCall> {
  const { network } = platform;
  const number = `+49305${String(numbers++).padStart(6, "0")}`;
  const reached = deferred<void>();
  const killed = deferred<void>();
  network.carrier.script(number, behaviourUntil(moment, { reached: reached.resolve, killed: killed.promise }));
  const sessionId = await platform.dial(number);
  const phone = await platform.callTo(number);
  await reached.promise;
  if (moment === "talking" || moment === "hung-up") await untilGreeted(platform, phone, sessionId);
  // Nobody may be there any more to say that the line is down.
  const hangUp = (): void => void phone.hangUp().catch(() => undefined);
  let sinceMs = performance.now();
  if (moment === "hung-up") hangUp();
  if (victim === "livekit") {
    await network.liveKit.kill();
    killed.resolve();
    await network.liveKit.restart();
  } else {
    const replaced = network.replaceStandIn();
    killed.resolve();
    await replaced;
  }
  const wentOn = victim === "livekit" && moment !== "hung-up" && (await goesOn(platform, phone, sessionId));
  const wasOver = sessionIsOver(await platform.session(sessionId));
  if (wentOn) sinceMs = performance.now();
  if (wentOn || wasOver) hangUp();
  const session = await platform.sessionWhen(sessionId, sessionIsOver, "the end", 2 * MOST_ENDING_MS);
  const isAbandoned = victim === "livekit" && session.started_at === null;
  if (!isAbandoned) hangUp();
  return {
    ...{
      sessionId,
      abandoned: isAbandoned ? phone : null,
      wentOn,
      wasOver,
      status: session.status,
      dialStatus: session.dial_status,
    },
    ...{ endedReason: session.ended_reason, hasBegun: session.started_at !== null },
    endedAfterMs: performance.now() - sinceMs,
    dials: network.carrier.calls.filter(({ to }) => to === number).length,
    ends: (await recordsOf(platform.cluster, sessionId)).filter(({ type }) => type === "ended").length,
  };
}

/** What is not as it should be of such a call. How long questions take is not counted. */
export function faultsOfLost(call: LostCall): string[] {
  const { wasOver, endedAfterMs, dials, ends } = call;
  const isInTime = wasOver || endedAfterMs <= MOST_ENDING_MS;
  return [
    ...(isTrue(call) && isInTime ? [] : [outcomeOf(call)]),
    ...(dials === 1 ? [] : [`dialed ${dials} times`]),
    ...(ends <= 1 ? [] : [`ended ${ends} times`]),
  ];
}

/** Whom nobody hangs up on: they picked up a call that is over. */
export async function abandonedFaults(calls: readonly LostCall[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { sessionId, abandoned } of calls) {
    if (abandoned === null) continue;
    let isOver = false;
    void abandoned.ended.then(() => {
      isOver = true;
    });
    await until(() => isOver, { withinMs: MOST_ABANDONED_MS, what: "the end" }).catch(() =>
      faults.push(`call ${sessionId}: nobody hangs up on who picked up`),
    );
  }
  return faults;
}

/** What became of it, for people to read. */
export function outcomeOf({ wentOn, status, dialStatus, endedReason, endedAfterMs }: LostCall): string {
  const seconds = (endedAfterMs / 1000).toFixed(1);
  return `${wentOn ? "it went on" : "it was over"}: ${status}, ${dialStatus}, ${endedReason} after ${seconds} s`;
}

/** One that was answered has begun and ended by its caller or its room, any other one has not begun. */
function isTrue({ dialStatus, endedReason, hasBegun }: LostCall): boolean {
  if (dialStatus !== "answered") return !hasBegun && endedReason === "not_answered";
  return hasBegun && (endedReason === "caller_left" || endedReason === "room_lost");
}

function behaviourUntil(
  moment: Moment,
  { reached, killed }: { reached: () => void; killed: Promise<void> },
): Behaviour {
  return async (call) => {
    if (moment === "ringing") {
      call.ring();
      reached();
      // Whoever is called picks up all the same.
      await killed;
      return call.answer();
    }
    await answers()(call);
    reached();
  };
}

async function untilGreeted(platform: PhonePlatform, phone: PhoneCall, sessionId: string): Promise<void> {
  await platform.sessionWhen(sessionId, ({ status }) => status === "active", "an answer");
  await platform.untilRecognized(phone, /hello|how|help|you/);
}

/** Whether the agent answers a question; gives up when the session is over. */
async function goesOn(platform: PhonePlatform, phone: PhoneCall, sessionId: string): Promise<boolean> {
  const fromMs = performance.now();
  const isOver = async (): Promise<boolean> => sessionIsOver(await platform.session(sessionId).catch(notKnown));
  for (let attempt = 1; attempt <= 3 && !(await isOver()); attempt++) {
    await platform.say(phone, "When do you open?");
    const answered = await platform.untilRecognized(phone, /nine/, fromMs, ANSWER_MS).then(
      () => true,
      () => false,
    );
    if (answered) return true;
  }
  return false;
}

/** The control plane may be busy with what was lost. */
const notKnown = (): Pick<SessionDetail, "status"> => ({ status: "active" });
