import { answers } from "../sip/telephone/behaviour.js";
import { killed, recordsOf } from "../survival/one-kill.js";
import type { PhoneCall } from "../sip/telephone/phone-call.js";
import { askAloud, type PhonePlatform } from "./phone-platform.js";

/** What may be killed in a call; `nothing` is the run to compare with. */
export const victims = ["nothing", "runtime", "control-plane"] as const;
export type Victim = (typeof victims)[number];

/** What became of a call in the middle of which something was killed. */
export interface KilledCall {
  /** The agent answered a question after the kill. */
  wasAnswered: boolean;
  status: string;
  dialStatus: string | null;
  endedReason: string | null;
  durationSeconds: number | null;
  /** How often the number was called. */
  dials: number;
}

/** What carries the calls themselves. With LiveKit SIP its calls are gone; LiveKit's come back to their rooms. */
export const carriers = ["livekit", "livekit-sip"] as const;
export type Carrier = (typeof carriers)[number];

/** What became of a call whose carrier was killed. */
export interface LostCall {
  /** The agent answered a question after the kill. */
  wasAnswered: boolean;
  /** Its session was over before anybody hung up. */
  wasOver: boolean;
  status: string;
  endedReason: string | null;
  /** From the kill to the end of the session, or from the hanging up of a call that went on. */
  endedAfterMs: number;
  dials: number;
  /** How often its end was told. */
  ends: number;
}

let numbers = 0;

/** Has the agent call, kills something once it greets, and asks a question. */
export async function killDuringCall(platform: PhonePlatform, victim: Victim): Promise<KilledCall> {
  const { network, cluster } = platform;
  const number = `+49302${String(numbers++).padStart(6, "0")}`;
  network.carrier.script(number, answers());
  const sessionId = await platform.dial(number);
  const phone = await platform.callTo(number);
  await platform.sessionWhen(sessionId, ({ status }) => status === "active", "an answer");
  await platform.untilRecognized(phone, /hello|help/);
  if (victim !== "nothing") await killed(cluster, await nameOf(platform, victim, sessionId));
  const wasAnswered = await isAnswered(platform, phone);
  await phone.hangUp().catch(() => undefined);
  const over = ({ status }: { status: string }): boolean => status === "completed" || status === "failed";
  const session = await platform.sessionWhen(sessionId, over, "the end");
  return {
    wasAnswered,
    status: session.status,
    dialStatus: session.dial_status,
    endedReason: session.ended_reason,
    durationSeconds: session.duration_seconds,
    dials: network.carrier.calls.filter(({ to }) => to === number).length,
  };
}

/** Has the agent call, kills what carries the call once it greets, and brings that back. */
export async function killUnderCall(platform: PhonePlatform, victim: Carrier): Promise<LostCall> {
  const { network } = platform;
  const number = `+49305${String(numbers++).padStart(6, "0")}`;
  network.carrier.script(number, answers());
  const sessionId = await platform.dial(number);
  const phone = await platform.callTo(number);
  await platform.sessionWhen(sessionId, ({ status }) => status === "active", "an answer");
  await platform.untilRecognized(phone, /hello|help/);
  let sinceMs = performance.now();
  if (victim === "livekit") {
    await network.liveKit.kill();
    await network.liveKit.restart();
  } else await network.replaceStandIn();
  const over = ({ status }: { status: string }): boolean => status === "completed" || status === "failed";
  const wasAnswered = victim === "livekit" && (await isAnswered(platform, phone));
  const wasOver = over(await platform.session(sessionId));
  if (wasAnswered) sinceMs = performance.now();
  if (wasAnswered || wasOver) await phone.hangUp().catch(() => undefined);
  const session = await platform.sessionWhen(sessionId, over, "the end");
  return {
    ...{ wasAnswered, wasOver, status: session.status, endedReason: session.ended_reason },
    endedAfterMs: performance.now() - sinceMs,
    dials: network.carrier.calls.filter(({ to }) => to === number).length,
    ends: (await recordsOf(platform.cluster, sessionId)).filter(({ type }) => type === "ended").length,
  };
}

/** The child to kill; a runtime is the one that holds the call. */
async function nameOf({ cluster }: PhonePlatform, victim: Victim, sessionId: string): Promise<string> {
  if (victim !== "runtime") return victim;
  const taken = (await recordsOf(cluster, sessionId)).findLast((record) => record.type === "taken");
  const names = cluster.processes().map(({ name }) => name);
  const found = names.find((name) => taken?.runtimeId.startsWith(`${name}-`) === true);
  if (found === undefined) throw new Error("nobody holds the call");
  return found;
}

async function isAnswered(platform: PhonePlatform, phone: PhoneCall): Promise<boolean> {
  const fromMs = performance.now();
  const answered = (): Promise<void> => platform.untilRecognized(phone, /nine/, fromMs, 10_000);
  return await askAloud(platform, phone, "When do you open?", answered).then(
    () => true,
    () => false,
  );
}
