import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { dispose } from "@livekit/rtc-node";
import { isNull } from "drizzle-orm";
import { startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { createLogger } from "#common/log";
import { openDatabase } from "#control-plane/database/open";
import { creditHolds } from "#control-plane/database/schema";
import { auditLedger } from "#control-plane/ledger/audit";
import { publishAgent } from "../conversations/open-talk.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { startLiveKit } from "../harness/livekit.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { runSessions, type SessionCounts } from "./many-sessions.js";
import { startMonitoredNats } from "./monitored-nats.js";
import { inspectable, measureMemory, type ProcessMemory } from "./process-memory.js";
import { readServers, type Servers, type ServersState } from "./servers-state.js";
import { tellStory } from "./story.js";

/*
 * `npm run test:session-leaks`: a thousand sessions, two hundred of them talked in, and what is left of them in
 * LiveKit, Redis, NATS, the processes' memory and the ledger.
 */

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "1000" },
    talked: { type: "string", default: "200" },
    spoken: { type: "string", default: "20" },
  },
});
const counts: SessionCounts = {
  all: Number(values.sessions),
  talked: Number(values.talked),
  spoken: Number(values.spoken),
};

/** Sessions after which the first measurement is taken: what is made once is there by then. */
const WARM_SESSIONS = Math.round(counts.all / 5);
/** How much of a process's heap may be new after the others. */
const MOST_NEW_HEAP_MB = 8;
/** The same of what native libraries hold. Allocators keep some of what was freed. */
const MOST_NEW_NATIVE_MB = 150;
/**
 * LiveKit's library loses half a megabyte with each room. The runtime gives its place to a fresh process once it takes
 * half as much again as this, whatever goes on in it, and hands its conversations over.
 */
const AGENT_MEMORY_MB = 300;
const MOST_AGENT_MB = 1.5 * AGENT_MEMORY_MB + 50;
/** A runtime that has grown too large gives its place to a fresh process as soon as nobody talks: by then that is over. */
const RETIREMENT_MS = 10_000;
/** By then the last session has failed by itself, and the logs of all are gone. */
const SETTLE_MS = 120_000;
const LOOK_MS = 1000;
/**
 * What grows with other things than sessions: usage is stored for its time whoever has taken it, and the server drops
 * the readers of an object bucket when nobody has used them for five minutes. Recordings stay for their time, and so
 * do the marks of the segments that were deleted.
 */
const unrelated = /^stream (parley-usage|OBJ_open-usage|OBJ_recordings|OBJ_recording-segments):/;
const measured = ["agent-1", "control-plane", "edge", "scheduler-1"] as const;

const directory = temporaryDirectory("leaks");
const dataDirectory = join(directory.path, "data");
const [livekit, endpoint, nats] = await Promise.all([
  startLiveKit(),
  startScriptedEndpoint(tellStory),
  startMonitoredNats(join(directory.path, "nats")),
]);
const cluster = await startCluster({
  models: allModels,
  ...{ agents: 1, workers: 1, dataDirectory, readyMs: 180_000 },
  environment: inspectable,
  settings: {
    NATS_URL: nats.url,
    LIVEKIT_URL: livekit.url,
    LIVEKIT_API_KEY: livekit.apiKey,
    LIVEKIT_API_SECRET: livekit.apiSecret,
    LLM_BASE_URL: endpoint.baseUrl,
    LLM_MODEL: "scripted",
    // On a busy machine the first replies would be refused for the time that they take.
    PARLEY_ADMISSION_WAIT_MS: "600000",
    PARLEY_JOIN_SECONDS: "5",
    PARLEY_AGENT_MEMORY_MB: String(AGENT_MEMORY_MB),
  },
});
const servers: Servers = { livekit, redisUrl: cluster.redisUrl, natsMonitorUrl: nats.monitorUrl };
const problems: string[] = [];
try {
  const agentId = await publishAgent(cluster, { prompt: { system_prompt: "You answer.", first_message_mode: "off" } });
  problems.push(...(await runSessions(cluster, agentId, { from: 0, to: WARM_SESSIONS, counts })));
  const warm = await stateOf(cluster);
  print(`after ${WARM_SESSIONS} sessions`, warm);
  problems.push(...(await runSessions(cluster, agentId, { from: WARM_SESSIONS, to: counts.all, counts })));
  const last = await stateOf(cluster);
  print(`after ${counts.all} sessions`, last);
  problems.push(...leaksBetween(warm, last), ...endpoint.problems);
  for (const { name, level, text } of cluster.complaints) console.log(`${name} ${level}: ${text}`);
} finally {
  await cluster.stop();
  await Promise.all([livekit.stop(), endpoint.close(), nats.stop()]);
  await dispose();
}
problems.push(...(await ledgerProblems()));
// What went wrong is found out from its logs.
if (problems.length === 0) directory.remove();
else console.log(`the logs are in ${join(dataDirectory, "logs")}`);
console.log(
  problems.length === 0 ? "\nnothing is left" : `\nnot held:\n${problems.map((line) => `- ${line}`).join("\n")}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

interface ClusterState {
  servers: ServersState;
  memory: Readonly<Record<string, ProcessMemory>>;
}

/** Waits until the sessions are over and what they had is put away, then measures. */
async function stateOf(target: TestCluster): Promise<ClusterState> {
  let state = await readServers(servers);
  for (let waitedMs = 0; leftIn(state).length > 0 && waitedMs < SETTLE_MS; waitedMs += LOOK_MS) {
    await pause(LOOK_MS);
    state = await readServers(servers);
  }
  await pause(RETIREMENT_MS);
  state = await readServers(servers);
  const memory: Record<string, ProcessMemory> = {};
  for (const name of measured) memory[name] = await measureMemory(target.dataDirectory, name);
  return { servers: state, memory };
}

/** What no quiet cluster has. */
function leftIn(state: ServersState): string[] {
  return ["livekit rooms", "livekit participants", "stream conversations: messages"].filter(
    (name) => (state[name] ?? 0) > 0,
  );
}

function leaksBetween(before: ClusterState, after: ClusterState): string[] {
  const grown = Object.entries(after.servers)
    .filter(([name, count]) => !unrelated.test(name) && count > (before.servers[name] ?? 0))
    .map(([name, count]) => `${name}: ${before.servers[name] ?? 0} before, ${count} now`);
  const left = leftIn(after.servers).map((name) => `${name}: ${after.servers[name]} are left`);
  const agentMb = after.memory["agent-1"]?.residentMb ?? 0;
  if (agentMb > MOST_AGENT_MB) left.push(`agent-1: it takes ${agentMb} MB`);
  const memory = measured.flatMap((name) => {
    const newMb = (kind: "heapMb" | "nativeMb"): number =>
      (after.memory[name]?.[kind] ?? 0) - (before.memory[name]?.[kind] ?? 0);
    return [
      ...(newMb("heapMb") > MOST_NEW_HEAP_MB ? [`${name}: ${newMb("heapMb").toFixed(1)} MB of heap are new`] : []),
      ...(name !== "agent-1" && newMb("nativeMb") > MOST_NEW_NATIVE_MB
        ? [`${name}: ${newMb("nativeMb").toFixed(0)} MB of native memory are new`]
        : []),
    ];
  });
  return [...left, ...grown, ...memory];
}

async function ledgerProblems(): Promise<string[]> {
  const { db, close } = await openDatabase({ url: null, dataDirectory, log: createLogger("test", "fatal") });
  try {
    const open = await db.select().from(creditHolds).where(isNull(creditHolds.closedAt));
    return [...open.map(({ id }) => `the hold ${id} is open`), ...(await auditLedger(db))];
  } finally {
    await close();
  }
}

function print(title: string, { servers: held, memory }: ClusterState): void {
  const lines = [
    ...Object.entries(held).map(([name, count]) => `${name}: ${count}`),
    ...Object.entries(memory).map(
      ([name, { heapMb, residentMb, nativeMb }]) =>
        `${name}: heap ${heapMb} MB, resident ${residentMb} MB, native ${nativeMb} MB`,
    ),
  ];
  console.log(`\n${title}\n${lines.map((line) => `- ${line}`).join("\n")}`);
}
