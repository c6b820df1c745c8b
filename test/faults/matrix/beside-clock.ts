import { connectNats } from "#common/bus/nats";
import type { Bus } from "#common/bus/bus";
import { createLogger } from "#common/log";
import {
  controlSubjects,
  type KeysReply,
  type KeysRequest,
  type Reply,
  type UsageRecord,
  usageSubject,
} from "#protocol/bus/control";
import { fromErrorRecord } from "#protocol/errors";
import { until } from "../../harness/processes.js";
import { recordsAgain, speakRecording, transcribeAgain } from "../../soak/load.js";
import type { StartBeside } from "./beside.js";
import type { FaultCluster } from "./fault-cluster.js";

const RECORDED_TEXT = "The bridge over the river was opened again this morning.";
/** No request of these cells takes so long; a step of the clock is ten times more. */
const LONGEST_MS = 6 * 60_000;
/** Of a key that is over after a step of an hour, and not before. */
const KEY_EXPIRES_MS = 1_800_000;
/** A refused key is asked about again after 3 s. */
const KEY_BACK_MS = 20_000;

/**
 * Transcriptions and records one after the other while the clock is set, none of which may fail; the durations in every
 * usage record; and a key that expires in half an hour: over while the clock is an hour ahead, and good otherwise.
 */
export const besideClockStep =
  (aheadMs: number): StartBeside =>
  async (under) => {
    const { cluster } = under;
    const bus = await connectNats({ url: cluster.natsUrl, name: "clock-step", log: createLogger("test", "fatal") });
    const wrong: string[] = [];
    let usages = 0;
    const subscription = bus.subscribe<UsageRecord>(usageSubject, (usage) => {
      usages++;
      for (const [name, ms] of Object.entries(durationsOf(usage)))
        if (ms < 0 || ms > LONGEST_MS) wrong.push(`${name} of ${usage.route} is ${ms} ms`);
    });
    const key = await makeKey(bus);
    const isGood = async (): Promise<boolean> => (await statusWith(under, key)) === 200;
    if (!(await isGood())) wrong.push("a key that expires in half an hour is not good before the clock is set");
    const recording = await speakRecording(cluster, RECORDED_TEXT);
    const loads = {
      transcription: transcribeAgain(cluster, cluster.apiKey, recording),
      records: recordsAgain(cluster, cluster.apiKey),
    };
    return {
      async during() {
        const status = await statusWith(under, key);
        const promised = aheadMs > KEY_EXPIRES_MS ? 401 : 200;
        return status === promised ? [] : [`a key that expires in half an hour gives ${status} instead of ${promised}`];
      },
      async settle() {
        for (const [name, load] of Object.entries(loads)) {
          await load.end();
          wrong.push(...load.tally.violations, ...load.tally.failures.map((failure) => `${name}: ${failure}`));
          if (load.tally.complete === 0) wrong.push(`${name}: nothing was complete`);
        }
        await until(isGood, { withinMs: KEY_BACK_MS, what: "a key that has not expired to be good again" });
        if (usages === 0) wrong.push("no usage was seen");
        subscription.unsubscribe();
        await bus.close();
        return wrong;
      },
    };
  };

function durationsOf({ audioMs, firstAudioMs, totalMs, conversationMs }: UsageRecord): Record<string, number> {
  return { audioMs, totalMs, firstAudioMs: firstAudioMs ?? 0, conversationMs: conversationMs ?? 0 };
}

/** A key of the cluster's own team. */
async function makeKey(bus: Bus): Promise<string> {
  const request: KeysRequest = {
    action: "create",
    name: "half an hour",
    teamId: null,
    scopes: null,
    expiresInMs: KEY_EXPIRES_MS,
  };
  const options = { timeoutMs: 30_000, dependency: "the control plane" };
  const reply = await bus.request<Reply<KeysReply>>(controlSubjects.keys, request, options);
  if (!reply.ok) throw fromErrorRecord(reply.error);
  if (reply.value.key === null) throw new Error("no key was made");
  return reply.value.key;
}

async function statusWith({ cluster }: FaultCluster, key: string): Promise<number> {
  const answer = await fetch(`${cluster.baseUrl}/model?self=true`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}
