import { besideUploadsAims, printBesideUploads } from "./beside-uploads/report.js";
import { runBesideUploads } from "./beside-uploads/run.js";
import { burstAims, printBurst } from "./burst/report.js";
import { runBurst } from "./burst/run.js";
import { printCompatOverhead } from "./compat-overhead/report.js";
import { runCompatOverhead } from "./compat-overhead/run.js";
import { consoleLoadAims, printConsoleLoad } from "./console-load/report.js";
import { runConsoleLoad } from "./console-load/run.js";
import { printProfile } from "./profile/report.js";
import { runProfile } from "./profile/run.js";
import { printRecognizerParts } from "./recognizer-parts/report.js";
import { runRecognizerParts } from "./recognizer-parts/run.js";
import { firstAudioAims, printFirstAudio } from "./first-audio/report.js";
import { runFirstAudio } from "./first-audio/run.js";
import { findAgentsPeer } from "./conversations/peer/installed.js";
import {
  conversationsAims,
  printConversations,
  printProgress as printConversationsProgress,
} from "./conversations/report.js";
import { runConversations } from "./conversations/run.js";
import { liveStreamsAims, printLiveStreams, printProgress } from "./live-streams/report.js";
import { runLiveStreams } from "./live-streams/run.js";
import { printFairness } from "./fairness/report.js";
import { runFairness } from "./fairness/run.js";
import { goodputAims, goodputCharts, printGoodput } from "./goodput/report.js";
import { runGoodput } from "./goodput/run.js";
import { findHttpPackages } from "./http-routes/installed.js";
import { printHttpRoutes } from "./http-routes/report.js";
import { runHttpRoutes } from "./http-routes/run.js";
import { runIdleSockets } from "./http-engines/idle-sockets.js";
import { printIdleSockets, printRequests, printStreams } from "./http-engines/report.js";
import { runRequests } from "./http-engines/requests.js";
import { runStreams } from "./http-engines/streams.js";
import { missingFiles } from "./open-files.js";
import { findPeers } from "./peers/installed.js";
import { printRecognitionPeers } from "./peers/recognition/report.js";
import { runRecognitionPeers } from "./peers/recognition/run.js";
import { speechPeersAims, printSpeechPeers } from "./peers/speech/report.js";
import { runSpeechPeers } from "./peers/speech/run.js";
import { transcriptionPeersAims, printTranscriptionPeers } from "./peers/transcription/report.js";
import { runTranscriptionPeers } from "./peers/transcription/run.js";
import { printVoicePeers } from "./peers/voice/report.js";
import { runVoicePeers } from "./peers/voice/run.js";
import type { Aim } from "./report/aim.js";
import type { Chart } from "./report/chart.js";
import type { Scenario } from "./scenarios.js";
import { memoryAims, printMemory } from "./memory/report.js";
import { runMemory } from "./memory/run.js";
import { natsClusterAims, printNatsCluster } from "./nats-cluster/report.js";
import { runNatsCluster } from "./nats-cluster/run.js";
import { printScaleOut } from "./scale-out/report.js";
import { runScaleOut } from "./scale-out/run.js";
import { printSimulatedLoad, simulatedLoadAims, simulatedLoadCharts } from "./simulated-load/report.js";
import { runSimulatedLoad } from "./simulated-load/run.js";
import { printSockets } from "./sockets/report.js";
import { runSockets } from "./sockets/run.js";
import { missingEncoder } from "./transcription/encoder.js";
import { transcriptionAims, printTranscription } from "./transcription/report.js";
import { runTranscription } from "./transcription/run.js";
import { webhooksAims, printWebhooks } from "./webhooks/report.js";
import { runWebhooks } from "./webhooks/run.js";

/** What a run of a scenario gave, and the page on which it is read. */
export interface Ran {
  figures: object;
  /** Why the figures must not be used; empty when they may. */
  invalid: string[];
  page: string;
  charts: Chart[];
  aims: Aim[];
}

/** Says in one line what a scenario needs and this machine lacks; null when it can run. */
export function missingFor(scenario: Scenario): string | null {
  const { kind } = scenario;
  if (kind === "conversations") {
    if (!scenario.hasPeer) return null;
    const peer = findAgentsPeer();
    return "missing" in peer ? peer.missing : null;
  }
  if (kind === "sockets") return missingFiles(scenario.warmUpSockets + scenario.idleSockets + scenario.activeSockets);
  if (kind === "http-routes") {
    const packages = findHttpPackages();
    return "missing" in packages ? packages.missing : null;
  }
  if (kind === "transcription" || kind === "beside-uploads" || kind === "transcription-peers") {
    const missing = missingEncoder();
    if (missing !== null) return missing;
  }
  // Each of them runs some of the programs of one list, which is installed as a whole.
  if (!kind.endsWith("-peers")) return null;
  const peers = findPeers();
  return "missing" in peers ? peers.missing : null;
}

/** Runs a scenario; prints progress where it takes long. */
export async function runScenario(scenario: Scenario): Promise<Ran> {
  switch (scenario.kind) {
    case "first-audio":
      return page(await runFirstAudio(scenario), printFirstAudio, {
        hold: (figures) => firstAudioAims(figures, scenario),
      });
    case "beside-uploads":
      return page(await runBesideUploads(scenario), printBesideUploads, { hold: besideUploadsAims });
    case "burst":
      return page(await runBurst(scenario), printBurst, { hold: burstAims });
    case "compat-overhead":
      return page(await runCompatOverhead(scenario), printCompatOverhead);
    case "console-load":
      return page(await runConsoleLoad(scenario), printConsoleLoad, { hold: consoleLoadAims });
    case "profile":
      return page(await runProfile(scenario), printProfile);
    case "memory":
      return page(await runMemory(scenario), printMemory, { hold: memoryAims });
    case "nats-cluster":
      return page(await runNatsCluster(scenario), printNatsCluster, { hold: natsClusterAims });
    case "recognizer-parts":
      return page(await runRecognizerParts(scenario), printRecognizerParts);
    case "webhooks":
      return page(await runWebhooks(scenario), printWebhooks, { hold: webhooksAims });
    case "scale-out":
      return page(await runScaleOut(scenario), printScaleOut);
    case "simulated-load":
      return page(await runSimulatedLoad(scenario), printSimulatedLoad, {
        draw: simulatedLoadCharts,
        hold: simulatedLoadAims,
      });
    case "sockets":
      return page(await runSockets(scenario), printSockets);
    case "transcription":
      return page(await runTranscription(scenario), printTranscription, { hold: transcriptionAims });
    case "voice-peers":
      return page(await runVoicePeers(scenario, installed(findPeers())), printVoicePeers);
    case "speech-peers":
      return page(await runSpeechPeers(scenario, installed(findPeers())), printSpeechPeers, { hold: speechPeersAims });
    case "recognition-peers":
      return page(await runRecognitionPeers(scenario, installed(findPeers())), printRecognitionPeers);
    case "transcription-peers":
      return page(await runTranscriptionPeers(scenario, installed(findPeers())), printTranscriptionPeers, {
        hold: transcriptionPeersAims,
      });
    case "fairness":
      return page(await runFairness(scenario, (one) => console.log(printProgress(one))), printFairness);
    case "goodput":
      return page(await runGoodput(scenario, (one) => console.log(printProgress(one))), printGoodput, {
        draw: goodputCharts,
        hold: goodputAims,
      });
    case "http-engines-requests":
      return page(await runRequests(scenario), printRequests);
    case "http-engines-streams":
      return page(await runStreams(scenario), printStreams);
    case "http-engines-idle-sockets":
      return page(await runIdleSockets(scenario), printIdleSockets);
    case "http-routes":
      return page(await runHttpRoutes(scenario, installed(findHttpPackages())), printHttpRoutes);
    case "conversations":
      return page(
        await runConversations(scenario, (one) => console.log(printConversationsProgress(one))),
        printConversations,
        { hold: conversationsAims },
      );
    case "live-streams":
      return page(await runLiveStreams(scenario, (one) => console.log(printProgress(one))), printLiveStreams, {
        hold: (figures) => liveStreamsAims(figures, scenario),
      });
  }
}

function page<Figures extends object>(
  { figures, invalid }: { figures: Figures; invalid: string[] },
  print: (figures: Figures) => string,
  {
    draw = () => [],
    hold = () => [],
  }: { draw?: (figures: Figures) => Chart[]; hold?: (figures: Figures) => Aim[] } = {},
): Ran {
  return { figures, invalid, page: print(figures), charts: draw(figures), aims: hold(figures) };
}

function installed<Found extends object>(found: Found | { missing: string }): Found {
  if ("missing" in found) throw new RangeError(found.missing);
  return found;
}
