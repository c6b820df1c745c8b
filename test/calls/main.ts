import { join } from "node:path";
import { parseArgs } from "node:util";
import { dispose } from "@livekit/rtc-node";
import { createLogger } from "#common/log";
import { openDatabase } from "#control-plane/database/open";
import { answers } from "../sip/telephone/behaviour.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { startReceiver } from "../webhooks/receivers.js";
import { eventFaults } from "./arrived-events.js";
import { bookFaults } from "./books.js";
import {
  abandonedFaults,
  carriers,
  faultsOfLost,
  killUnderCall,
  type LostCall,
  moments,
  outcomeOf,
} from "./carrier-kills.js";
import { type KilledCall, killDuringCall, victims } from "./kills.js";
import { type PhonePlatform, startSeparatePhonePlatform } from "./phone-platform.js";

/*
 * `npm run test:calls`: calls over SIP with kill -9 of a role in each, or of what carries them at each moment of a call,
 * then a row of calls and some at once; in the end what the books say of all of them.
 *
 *     npm run test:calls -- --times 3 --only runtime,livekit --moments talking --row 5 --at-once 2
 */

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "5" },
    only: { type: "string" },
    moments: { type: "string" },
    row: { type: "string", default: "30" },
    "at-once": { type: "string", default: "5" },
  },
});
const only = values.only?.split(",");
const isChosen = (victim: string): boolean => only === undefined || only.includes(victim);
const chosenMoments = moments.filter((moment) => values.moments?.split(",").includes(moment) ?? true);

const wanted: Partial<KilledCall> = {
  ...{ wasAnswered: true, status: "completed", dialStatus: "answered", endedReason: "caller_left", dials: 1 },
};

/** What is not as it should be after a kill. */
function faultsOf(call: KilledCall): string[] {
  const differing = (Object.keys(wanted) as (keyof KilledCall)[]).filter((name) => call[name] !== wanted[name]);
  return differing.map((name) => `${name} is ${String(call[name])}`);
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

const directory = temporaryDirectory("calls");
const dataDirectory = join(directory.path, "data");
const receiver = await startReceiver();
const platform = await startSeparatePhonePlatform({ dataDirectory, eventsUrl: receiver.url("/") });
try {
  for (const victim of victims.filter(isChosen))
    for (let round = 1; round <= Number(values.times); round++)
      await attempt(`${victim} ${round}`, async () => faultsOf(await killDuringCall(platform, victim)));
  const lost: LostCall[] = [];
  for (const victim of carriers.filter(isChosen))
    for (const moment of chosenMoments)
      for (let round = 1; round <= Number(values.times); round++)
        await attempt(`${victim}, ${moment} ${round}`, async () => {
          const call = await killUnderCall(platform, { victim, moment });
          lost.push(call);
          console.log(`  ${outcomeOf(call)}`);
          return faultsOfLost(call);
        });
  if (lost.length > 0) {
    await attempt("who picked up a call that was lost", () => abandonedFaults(lost));
    await attempt("the events of lost calls", () => eventFaults(receiver, lost));
  }
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
  await receiver.close();
  await dispose();
}
await attempt("the books", async () => {
  const { db, close } = await openDatabase({ url: null, dataDirectory, log: createLogger("test", "fatal") });
  return await bookFaults(db).finally(close);
});
// What went wrong is found out from its logs.
if (problems.length === 0) directory.remove();
else console.log(`the logs are in ${join(dataDirectory, "logs")}`);
console.log(problems.length === 0 ? "all calls went as they should" : `${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
