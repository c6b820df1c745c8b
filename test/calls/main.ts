import { parseArgs } from "node:util";
import { dispose } from "@livekit/rtc-node";
import { answers } from "../sip/telephone/behaviour.js";
import { carriers, type KilledCall, killDuringCall, killUnderCall, type LostCall, victims } from "./kills.js";
import { type PhonePlatform, startSeparatePhonePlatform } from "./phone-platform.js";

/*
 * `npm run test:calls`: calls over SIP with kill -9 of a role in each, then a row of calls and some at once.
 *
 *     npm run test:calls -- --times 3 --only runtime --row 5 --at-once 2
 */

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    only: { type: "string" },
    row: { type: "string", default: "30" },
    "at-once": { type: "string", default: "5" },
  },
});
const only = values.only?.split(",");
const isChosen = (victim: string): boolean => only === undefined || only.includes(victim);

const wanted: Partial<KilledCall> = {
  ...{ wasAnswered: true, status: "completed", dialStatus: "answered", endedReason: "caller_left", dials: 1 },
};

/** What is not as it should be after a kill. */
function faultsOf(call: KilledCall): string[] {
  const differing = (Object.keys(wanted) as (keyof KilledCall)[]).filter((name) => call[name] !== wanted[name]);
  return differing.map((name) => `${name} is ${String(call[name])}`);
}

/** A session is over so soon after its call is. */
const MOST_ENDING_MS = 30_000;

/** What is not as it should be of a call whose carrier was killed. How long three questions take is not counted. */
function faultsOfLost({ wasAnswered, wasOver, status, endedReason, endedAfterMs, dials, ends }: LostCall): string[] {
  const facts = `${status}, ${endedReason} after ${(endedAfterMs / 1000).toFixed(1)} s`;
  const isTrue = endedReason === "caller_left" || endedReason === "room_lost";
  const isInTime = wasOver || endedAfterMs <= MOST_ENDING_MS;
  console.log(`  ${wasAnswered ? "it went on" : "it was over"}: ${facts}`);
  return [
    ...(isTrue && isInTime ? [] : [facts]),
    ...(dials === 1 ? [] : [`dialed ${dials} times`]),
    ...(ends === 1 ? [] : [`ended ${ends} times`]),
  ];
}

/** One call that is answered and hung up on at once. */
async function shortCall(platform: PhonePlatform, number: string): Promise<string | null> {
  platform.network.carrier.script(number, answers());
  const sessionId = await platform.dial(number);
  const phone = await platform.callTo(number);
  await platform.untilRecognized(phone, /hello|help/);
  await phone.hangUp();
  const session = await platform.sessionWhen(sessionId, ({ status }) => status === "completed", "the end");
  return session.dial_status === "answered" ? null : `${number} is ${String(session.dial_status)}`;
}

const problems: string[] = [];
const attempt = async (what: string, work: () => Promise<string[]>): Promise<void> => {
  const startedAtMs = performance.now();
  const found = await work().catch((error: unknown) => [String(error)]);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${what}: ${found.length === 0 ? "as it should be" : found.join(", ")} (${seconds} s)`);
  problems.push(...found.map((problem) => `${what}: ${problem}`));
};

const platform = await startSeparatePhonePlatform();
try {
  for (const victim of victims.filter(isChosen))
    for (let round = 1; round <= Number(values.times); round++)
      await attempt(`${victim} ${round}`, async () => faultsOf(await killDuringCall(platform, victim)));
  for (const victim of carriers.filter(isChosen))
    for (let round = 1; round <= Number(values.times); round++)
      await attempt(`${victim} ${round}`, async () => faultsOfLost(await killUnderCall(platform, victim)));
  for (let index = 1; index <= Number(values.row); index++)
    await attempt(`call ${index}`, async () => {
      const problem = await shortCall(platform, `+49303${String(index).padStart(6, "0")}`);
      return problem === null ? [] : [problem];
    });
  const atOnce = Number(values["at-once"]);
  await attempt(`${atOnce} calls at once`, async () => {
    const numbers = Array.from({ length: atOnce }, (_, index) => `+49304${String(index).padStart(6, "0")}`);
    const found = await Promise.all(numbers.map((number) => shortCall(platform, number)));
    return found.filter((problem) => problem !== null);
  });
} finally {
  if (problems.length > 0)
    for (const { name, level, text } of platform.cluster.complaints) console.log(`${name} ${level}: ${text}`);
  await platform.stop();
  await dispose();
}
console.log(problems.length === 0 ? "all calls went as they should" : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
