import { onTestFinished } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { openTalk, type Talk } from "./open-talk.js";

/** Creates a session of an agent and joins it with an open microphone; the caller leaves when the test is over. */
export async function startTalk(cluster: TestCluster, agentId: string): Promise<Talk> {
  const talk = await openTalk(cluster, agentId);
  onTestFinished(() => talk.caller.leave().catch(() => undefined));
  return talk;
}
