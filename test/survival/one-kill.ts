import type { SessionDetail } from "#protocol/agents/session";
import { type ConversationRecord, conversationStream, conversationSubject } from "#protocol/bus/conversation-log";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { openTalk, recognize, type Talk } from "../conversations/open-talk.js";
import type { TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { compareWords, receivedSamples, longestGapMs, type WordDifference } from "./recording.js";
import { SLOW_STORY_WANTED, STORY, STORY_WANTED, wordsOf } from "./story.js";

/** What may be killed; `nothing` is the run to compare with. */
export const victims = ["nothing", "runtime", "worker", "scheduler", "control-plane", "nats", "redis"] as const;
export type Victim = (typeof victims)[number];

/** One reply in the middle of which something was killed. */
export interface Survival extends WordDifference {
  /** After so many words of the reply. */
  atWord: number;
  isSlow: boolean;
  /** The caller was never put out of its room. */
  stayedInRoom: boolean;
  /** Words that were heard, and stood in no record: another runtime says them again, and the one that was cut. */
  unrecorded: number;
  /** Its last words were heard. */
  receivedAll: boolean;
  gapMs: number | null;
  /** When another runtime took it, from the kill on. */
  takenAfterMs: number | null;
  /** The session's record of the reply is the whole of it. */
  isRecorded: boolean;
  heard: string;
}

/** The kill comes behind one of these words of the story. */
const FIRST_KILL_WORD = 4;
const LAST_KILL_WORD = 14;

/** How long a reply may go on in all, the gap included. */
const REPLY_MS = 45_000;
const BACK_MS = 60_000;
const RECORD_MS = 15_000;

/** Has a caller told a story, kills something in the middle of it, and says what the caller heard. */
export async function killDuringReply(
  cluster: TestCluster,
  agentId: string,
  options: { victim: Victim; round: number; random: () => number },
): Promise<Survival> {
  const { victim, round, random } = options;
  const isSlow = round % 2 === 1;
  const atWord = FIRST_KILL_WORD + Math.floor(random() * (LAST_KILL_WORD - FIRST_KILL_WORD + 1));
  const talk = await openTalk(cluster, agentId);
  try {
    await until(() => talk.caller.states.includes("listening"), { withinMs: 20_000, what: "the agent" });
    const fromMs = performance.now();
    await talk.type(isSlow ? SLOW_STORY_WANTED : STORY_WANTED);
    await until(() => wordsOf(talk.said()).length >= atWord, { withinMs: 20_000, what: `${atWord} words` });
    const name = await nameOf(cluster, victim, { sessionId: talk.sessionId, random });
    const killedAtEpochMs = Date.now();
    const back = name === null ? Promise.resolve() : killed(cluster, name);
    const receivedAll = await hearsEnd(talk);
    const stayedInRoom = talk.caller.disconnected === null;
    await back;
    const frames = talk.caller.received.filter(({ atMs }) => atMs >= fromMs);
    const heard = await recognize(cluster, receivedSamples(frames));
    const records = victim === "runtime" ? await recordsOf(cluster, talk.sessionId) : [];
    const taken = records.findLast(({ type }) => type === "taken");
    await talk.caller.leave();
    return {
      ...{ atWord, isSlow, stayedInRoom, receivedAll, heard },
      unrecorded: victim === "runtime" ? unrecordedWords(records, talk) : 0,
      takenAfterMs: taken === undefined ? null : taken.atEpochMs - killedAtEpochMs,
      gapMs: longestGapMs(frames),
      ...compareWords(wordsOf(STORY.join(" ")), wordsOf(heard)),
      isRecorded: await hasStory(talk),
    };
  } finally {
    await talk.caller.leave().catch(() => undefined);
  }
}

/** Whether the last words come, and the voice has said them. */
async function hearsEnd(talk: Talk): Promise<boolean> {
  try {
    await until(() => wordsOf(talk.said()).at(-1) === wordsOf(STORY[2]).at(-1), {
      withinMs: REPLY_MS,
      what: "the end of the story",
    });
    await until(
      () => performance.now() - (talk.caller.received.findLast(({ loudness }) => loudness > 0.005)?.atMs ?? 0) > 500,
      { withinMs: REPLY_MS, what: "silence" },
    );
    return true;
  } catch {
    return false;
  }
}

/** What the log of a conversation says. */
export async function recordsOf(cluster: TestCluster, sessionId: string): Promise<ConversationRecord[]> {
  const bus = await connectNats({ url: cluster.natsUrl, name: "survival", log: createLogger("test", "fatal") });
  try {
    const stored = await bus.subjectLog(conversationStream).read<ConversationRecord>(conversationSubject(sessionId));
    return stored.map(({ message }) => message);
  } finally {
    await bus.close();
  }
}

/** How many words the killed runtime had shown as heard beyond what its last record says. */
function unrecordedWords(records: readonly ConversationRecord[], { caller }: Talk): number {
  const own = records.slice(
    0,
    records.findLastIndex(({ type }) => type === "taken"),
  );
  const heard = own.findLast((record) => record.type === "reply-heard");
  const recorded = STORY.join(" ").slice(0, heard?.characters ?? 0);
  const [first] = caller.transcripts.filter(({ identity }) => identity !== caller.identity);
  const shown = caller.transcripts.findLast(({ identity }) => identity === first?.identity)?.text ?? "";
  return wordsOf(shown).length - wordsOf(recorded).length;
}

/** The child to kill; a runtime is the one that holds the session. */
async function nameOf(
  cluster: TestCluster,
  victim: Victim,
  { sessionId, random }: { sessionId: string; random: () => number },
): Promise<string | null> {
  if (victim === "nothing") return null;
  if (victim === "nats" || victim === "redis" || victim === "control-plane") return victim;
  const prefix = victim === "runtime" ? "agent-" : `${victim}-`;
  const names = cluster.processes().flatMap(({ name }) => (name.startsWith(prefix) ? [name] : []));
  if (victim !== "runtime") return names[Math.floor(random() * names.length)] ?? null;
  // One that was slow to answer may have begun before another one took it.
  const taken = (await recordsOf(cluster, sessionId)).findLast((record) => record.type === "taken");
  return names.find((name) => taken?.runtimeId.startsWith(`${name}-`) === true) ?? null;
}

/** Kills a child; resolves when its next life is ready. */
export async function killed(cluster: TestCluster, name: string): Promise<void> {
  const readyBefore = readyCount(cluster, name);
  if (!cluster.kill(name)) throw new Error(`${name} is between two lives`);
  await until(() => readyCount(cluster, name) > readyBefore, { withinMs: BACK_MS, what: `${name} to be back` });
}

function readyCount(cluster: TestCluster, name: string): number {
  return cluster.events.filter((event) => event.type === "ready" && event.name === name).length;
}

async function hasStory(talk: Talk): Promise<boolean> {
  let detail: SessionDetail | null = null;
  await until(
    async () => {
      detail = await talk.session().catch(() => null);
      return detail?.status === "completed";
    },
    { withinMs: RECORD_MS, what: "the end of the session" },
  ).catch(() => undefined);
  const story = wordsOf(STORY.join(" ")).join(" ");
  const items = (detail as SessionDetail | null)?.items ?? [];
  return items.some((item) => item.type === "message" && wordsOf(item.content).join(" ") === story);
}
