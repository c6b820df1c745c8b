import { answers } from "../sip/telephone/behaviour.js";
import { killed, recordsOf } from "../survival/one-kill.js";
import type { PhoneCall } from "../sip/telephone/phone-call.js";
import { askAloud, type PhonePlatform, sessionIsOver } from "./phone-platform.js";

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
  const session = await platform.sessionWhen(sessionId, sessionIsOver, "the end");
  return {
    wasAnswered,
    status: session.status,
    dialStatus: session.dial_status,
    endedReason: session.ended_reason,
    durationSeconds: session.duration_seconds,
    dials: network.carrier.calls.filter(({ to }) => to === number).length,
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
