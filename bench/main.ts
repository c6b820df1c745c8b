import { printCompatOverhead } from "./compat-overhead/report.js";
import { runCompatOverhead } from "./compat-overhead/run.js";
import { printEarParts } from "./ear-parts/report.js";
import { runEarParts } from "./ear-parts/run.js";
import { printFirstAudio } from "./first-audio/report.js";
import { runFirstAudio } from "./first-audio/run.js";
import { printLiveStreams, printProgress } from "./live-streams/report.js";
import { runLiveStreams } from "./live-streams/run.js";
import { describeMachine, loadBefore } from "./machine.js";
import { writeRow } from "./results.js";
import { type Scenario, scenarios } from "./scenarios.js";
import { printTranscription } from "./transcription/report.js";
import { runTranscription } from "./transcription/run.js";
import { objections } from "./validity.js";
import { printWebhooks } from "./webhooks/report.js";
import { runWebhooks } from "./webhooks/run.js";

/** `npm run bench -- [--despite-load] [beginning of a scenario's name…]`: runs the scenarios so named, one after the other. */
const despiteLoad = process.argv.includes("--despite-load");
const beginnings = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const chosen = scenarios.filter(({ name }) => beginnings.some((beginning) => name.startsWith(beginning)));
if (chosen.length === 0) {
  console.log(`Say which scenarios, by the beginning of their names:\n${scenarios.map(({ name }) => `  ${name}`).join("\n")}`);
  process.exit(2);
}

/** Without this much rest before a run the machine's load says nothing. */
const LISTEN_MS = 3000;

async function run(scenario: Scenario): Promise<{ figures: object; invalid: string[]; page: string }> {
  if (scenario.kind === "first-audio") {
    const { figures, invalid } = await runFirstAudio(scenario);
    return { figures, invalid, page: printFirstAudio(figures) };
  }
  if (scenario.kind === "compat-overhead") {
    const { figures, invalid } = await runCompatOverhead(scenario);
    return { figures, invalid, page: printCompatOverhead(figures) };
  }
  if (scenario.kind === "ear-parts") {
    const { figures, invalid } = await runEarParts(scenario);
    return { figures, invalid, page: printEarParts(figures) };
  }
  if (scenario.kind === "webhooks") {
    const { figures, invalid } = await runWebhooks(scenario);
    return { figures, invalid, page: printWebhooks(figures) };
  }
  if (scenario.kind === "transcription") {
    const { figures, invalid } = await runTranscription(scenario);
    return { figures, invalid, page: printTranscription(figures) };
  }
  const { figures, invalid } = await runLiveStreams(scenario, (one) => console.log(printProgress(one)));
  return { figures, invalid, page: printLiveStreams(figures) };
}

let refused = 0;
for (const scenario of chosen) {
  console.log(`\n${scenario.name}`);
  const machine = describeMachine();
  const before = objections({ load: await loadBefore(LISTEN_MS), errors: 0 });
  if (before.length > 0 && !despiteLoad) {
    console.log(`  not run: ${before.join("; ")} (--despite-load runs it, and marks it invalid)`);
    refused++;
    continue;
  }
  const startedAt = new Date().toISOString();
  const { figures, invalid: during, page } = await run(scenario);
  const invalid = [...before, ...during];
  console.log(page);
  const commit = `commit ${machine.commit}${machine.changed ? " with changes" : ""}`;
  console.log(`${machine.processor}, ${machine.cores} cores, Node.js ${machine.node}, ${commit}`);
  console.log(`load average before: ${machine.loadAverage.join(", ")}`);
  if (invalid.length > 0) console.log(`INVALID: ${invalid.join("; ")}`);
  console.log(`row added to ${writeRow({ scenario, startedAt, machine, invalid, figures })}`);
}
process.exit(refused > 0 ? 1 : 0);
