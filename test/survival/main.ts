import { parseArgs } from "node:util";
import { dispose } from "@livekit/rtc-node";
import { startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { publishAgent } from "../conversations/open-talk.js";
import { randomFrom } from "../faults/control-plane/known.js";
import { allModels, startCluster } from "../harness/cluster.js";
import { startLiveKit } from "../harness/livekit.js";
import { killDuringReply, type Survival, type Victim, victims } from "./one-kill.js";
import { tellStory } from "./story.js";
import { survivalTable } from "./table.js";

/*
 * `npm run test:survival`: kill -9 of each role in the middle of a reply, twenty times, and what the caller heard.
 *
 *     npm run test:survival -- --times 5 --only nothing,runtime --seed 7
 */

const { values } = parseArgs({
  options: { times: { type: "string", default: "20" }, seed: { type: "string" }, only: { type: "string" } },
});
const times = Number(values.times);
const seed = values.seed === undefined ? Math.floor(Date.now() % 2 ** 31) : Number(values.seed);
const random = randomFrom(seed);
const only = values.only?.split(",");
const chosen = victims.filter((victim) => only === undefined || only.includes(victim));
console.log(`seed ${seed}`);

const [livekit, endpoint] = await Promise.all([startLiveKit(), startScriptedEndpoint(tellStory)]);
const cluster = await startCluster({
  models: allModels,
  ...{ agents: 2, workers: 2, readyMs: 180_000 },
  settings: {
    LIVEKIT_URL: livekit.url,
    LIVEKIT_API_KEY: livekit.apiKey,
    LIVEKIT_API_SECRET: livekit.apiSecret,
    LLM_BASE_URL: endpoint.baseUrl,
    LLM_MODEL: "scripted",
    // On a busy machine the first replies would be refused for the time that they take.
    PARLEY_ADMISSION_WAIT_MS: "600000",
  },
});
const results = new Map<Victim, Survival[]>();
const problems: string[] = [];
try {
  const agentId = await publishAgent(cluster, {
    prompt: { system_prompt: "You tell stories.", first_message_mode: "off" },
  });
  for (const victim of chosen) {
    const ofVictim: Survival[] = [];
    results.set(victim, ofVictim);
    for (let round = 0; round < times; round++) {
      try {
        const survival = await killDuringReply(cluster, agentId, { victim, round, random });
        ofVictim.push(survival);
        console.log(`${victim} ${round + 1}: ${JSON.stringify(survival)}`);
      } catch (error) {
        problems.push(`${victim} ${round + 1}: ${String(error)}`);
        console.log(problems.at(-1));
      }
    }
  }
  problems.push(...endpoint.problems);
  for (const { name, level, text } of cluster.complaints) console.log(`${name} ${level}: ${text}`);
} finally {
  await cluster.stop();
  await Promise.all([livekit.stop(), endpoint.close()]);
  await dispose();
}
console.log(`\n${survivalTable(results)}`);
