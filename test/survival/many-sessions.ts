import { setTimeout as pause } from "node:timers/promises";
import { call, openTalk, type Talk } from "../conversations/open-talk.js";
import type { TestCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";

/** How many sessions there are to be, and how many of each kind. */
export interface SessionCounts {
  all: number;
  talked: number;
  /** Of those that are talked in. */
  spoken: number;
}

/** Sessions that are under way at once. */
const AT_ONCE = 8;
/** Of those that nobody talks in, one in so many is left alone until it fails by itself. */
const LEFT_ALONE = 10;
/** A full cluster refuses; the next place is soon free. */
const AGAIN_MS = 250;
const QUESTION = "When do you open?";
const ANSWER = "nine in the morning";
/** On a busy machine a few words may not come through. */
const MOST_ASKED = 3;

/**
 * Begins and ends sessions, from the number `from` to before `to`: some are typed in, some spoken in, most end without
 * anybody, on request or by themselves. Gives what went wrong.
 */
export async function runSessions(
  cluster: TestCluster,
  agentId: string,
  { from, to, counts }: { from: number; to: number; counts: SessionCounts },
): Promise<string[]> {
  const problems: string[] = [];
  let next = from;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < to; index = next++) {
      try {
        await runSession(cluster, agentId, { index, counts });
      } catch (error) {
        problems.push(`session ${index}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return problems;
}

async function runSession(
  cluster: TestCluster,
  agentId: string,
  { index, counts }: { index: number; counts: SessionCounts },
): Promise<void> {
  const everyTalked = Math.floor(counts.all / counts.talked);
  const everySpoken = everyTalked * Math.floor(counts.talked / counts.spoken);
  if (index % everyTalked === 0) return await talkIn(cluster, agentId, index % everySpoken === 0);
  const sessionId = await withRoom(() => create(cluster, agentId));
  if (index % LEFT_ALONE !== 1) await call(cluster, "POST", `/v1/agent/sessions/${sessionId}/end`);
}

async function create(cluster: TestCluster, agentId: string): Promise<string> {
  const body = { agent_id: agentId };
  return (await call<{ session_id: string }>(cluster, "POST", "/v1/agent/sessions", body)).session_id;
}

/** Tries again while no runtime has room. */
async function withRoom<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!String(error).includes("refused with 503")) throw error;
      await pause(AGAIN_MS);
    }
  }
}

async function talkIn(cluster: TestCluster, agentId: string, isSpoken: boolean): Promise<void> {
  const talk = await withRoom(() => openTalk(cluster, agentId, { hasMicrophone: isSpoken }));
  try {
    await until(() => talk.caller.states.includes("listening"), { withinMs: 20_000, what: "the agent" });
    if (isSpoken) await askAloud(talk);
    else {
      await talk.type(QUESTION);
      await talk.untilSaid(ANSWER, 30_000);
    }
  } finally {
    await talk.caller.leave();
  }
}

async function askAloud(talk: Talk): Promise<void> {
  for (let asked = 1; ; asked++) {
    await talk.say(QUESTION);
    try {
      return await talk.untilSaid(ANSWER, 15_000);
    } catch (error) {
      if (asked === MOST_ASKED) throw error;
    }
  }
}
