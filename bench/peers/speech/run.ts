import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { watchOthers } from "../../machine.js";
import { objections } from "../../validity.js";
import { voiceFolder } from "../../voice-engine.js";
import { type Peers, peersFolder } from "../installed.js";
import { startInProcess } from "../voice/in-process.js";
import { startPiper } from "../voice/piper.js";
import { level } from "../voice/level.js";
import { makeUtterances, type Utterance } from "../voice/symbols.js";
import { sentences } from "../voice/texts.js";
import { FIRST_AUDIO_MS, type VoiceClient } from "../voice/way.js";
import { startWyomingPiper } from "../voice/wyoming.js";
import { startWholeService } from "../voice/whole-service.js";
import { type PartSeconds, subtractParts } from "../../slow-parts.js";
import { type SpeechRatio, type SpeechRound, type SpeechWayFigures, speechFigures } from "./figures.js";
import type { SpeechPeersScenario } from "./scenario.js";

/** Each way rests this long before a first audio is measured, so that none finds its caches warmer. */
const REST_MS = 40;
/** Texts that each way speaks first: code that Node.js has not compiled yet is slower for the first hundreds. */
const WARM_UP = 400;
/** The voice's own rate. */
const OWN_RATE = 22_050;
const QUIETEST = 0.01;
/** A text may be so much longer or shorter than piper's: `/v1/tts` speaks a long one in clauses with pauses of its own. */
const MOST_LENGTH_DIFFERENCE = 0.2;

/** One way, in as many processes as there are cores; Parley's are the workers of one cluster. */
interface Way {
  name: string;
  clients: VoiceClient[];
  /** sherpa-onnx's callback ends a text after its first sentence: it is not asked for long ones. */
  speaksTexts: boolean;
  /** Texts that each client is given at once. */
  atOnce: number;
  /** Where its processor time went so far; absent where it is one program. */
  parts?: () => PartSeconds;
}

export interface SpeechPeersFigures {
  versions: Record<string, string>;
  ways: SpeechWayFigures[];
  ratios: SpeechRatio[];
  /** Where Parley's processor time goes in bulk, seconds of it. */
  parts: PartSeconds;
  /** What the parts belong to. */
  partsOf: { audioSeconds: number; wallSeconds: number };
}

/** Measures four ways to speak with one file in turns, on all cores. Throws when one does not speak as the others do. */
export async function runSpeechPeers(
  scenario: SpeechPeersScenario,
  peers: Peers,
): Promise<{ figures: SpeechPeersFigures; invalid: string[] }> {
  const bulk = makeUtterances(sentences.slice(0, scenario.sentences));
  const names = Object.keys(scenario.texts);
  const texts = new Map(makeUtterances(Object.values(scenario.texts)).map((one, i) => [names[i] ?? "", one]));
  const ways: Way[] = [];
  try {
    const peerWays = [
      ["piper's HTTP server", () => startPiper(peers), true],
      ["wyoming-piper", () => startWyomingPiper(peers), true],
      ["sherpa-onnx", () => startSherpa(peers), false],
    ] as const;
    for (const [name, start, speaksTexts] of peerWays) {
      const way: Way = { name, clients: [], speaksTexts, atOnce: 1 };
      ways.push(way);
      for (let i = 0; i < scenario.processes; i++) way.clients.push(await start());
    }
    const service = await startWholeService({ workers: scenario.processes, connections: scenario.processes * 2 });
    ways.push({
      name: service.name,
      clients: [service],
      speaksTexts: true,
      atOnce: scenario.processes * 2,
      parts: service.parts,
    });
    await checkLengths(ways, [...texts.values()]);
    const warmUp = Array.from({ length: Math.ceil(WARM_UP / bulk.length) }, () => bulk).flat();
    for (const way of ways) await speakAll(way, warmUp);
    const others = watchOthers();
    const rounds: SpeechRound[][] = [];
    for (let at = 0; at < scenario.rounds; at++) rounds.push(await oneRound(ways, { bulk, texts, scenario, at }));
    const { complaints } = service;
    const invalid = objections({ load: others.read(), errors: complaints.length });
    const figures = speechFigures(
      ways.map(({ name }) => name),
      rounds,
    );
    return { figures: { versions: peers.versions, ...figures, ...partsOver(rounds.flat()) }, invalid };
  } finally {
    await Promise.all(ways.flatMap(({ clients }) => clients.map((client) => client.stop())));
  }
}

function startSherpa({ python }: Peers): Promise<VoiceClient> {
  const args = [join(peersFolder, "sherpa_voice.py"), voiceFolder, String(FIRST_AUDIO_MS)];
  return startInProcess("sherpa-onnx", OWN_RATE, { command: python, args });
}

/** Round after round another way comes first. */
async function oneRound(
  ways: readonly Way[],
  given: {
    bulk: readonly Utterance[];
    texts: ReadonlyMap<string, Utterance>;
    scenario: SpeechPeersScenario;
    at: number;
  },
): Promise<SpeechRound[]> {
  const { bulk, texts, scenario, at } = given;
  const order = ways.map((_, index) => (index + at) % ways.length);
  const results = ways.map(
    (): SpeechRound => ({
      speed: Number.NaN,
      processorMs: Number.NaN,
      firstMs: Object.fromEntries([...texts.keys()].map((name) => [name, []])),
    }),
  );
  for (const index of order) {
    const [way, result] = [ways[index] as Way, results[index] as SpeechRound];
    Object.assign(result, await speakAll(way, bulk));
  }
  for (let i = 0; i < scenario.perRound; i++)
    for (const [name, utterance] of texts)
      for (const index of order.filter((one) => ways[one]?.speaksTexts === true)) {
        await delay(REST_MS);
        const { firstMs } = await (ways[index]?.clients[0] as VoiceClient).speak(utterance);
        results[index]?.firstMs[name]?.push(firstMs);
      }
  return results;
}

/** Of all rounds together. */
function partsOver(results: readonly SpeechRound[]): Pick<SpeechPeersFigures, "parts" | "partsOf"> {
  const all: Pick<SpeechPeersFigures, "parts" | "partsOf"> = {
    parts: {},
    partsOf: { audioSeconds: 0, wallSeconds: 0 },
  };
  for (const { bulk } of results) {
    if (bulk === undefined) continue;
    for (const [name, seconds] of Object.entries(bulk.parts)) all.parts[name] = (all.parts[name] ?? 0) + seconds;
    all.partsOf.audioSeconds += bulk.audioSeconds;
    all.partsOf.wallSeconds += bulk.wallSeconds;
  }
  return all;
}

/** Speaks all of them, each client as many at once as it takes. */
async function speakAll(
  { clients, atOnce, parts }: Way,
  utterances: readonly Utterance[],
): Promise<Omit<SpeechRound, "firstMs">> {
  const processorSeconds = (): number => clients.reduce((sum, client) => sum + client.processorSeconds(), 0);
  const [startMs, before, partsBefore] = [performance.now(), processorSeconds(), parts?.()];
  let [next, audioMs] = [0, 0];
  const speakNext = async (client: VoiceClient): Promise<void> => {
    for (let utterance = utterances[next++]; utterance !== undefined; utterance = utterances[next++]) {
      // Not `audioMs += await …`: that takes the sum before the others add to it.
      const spoken = await client.speak(utterance);
      audioMs += spoken.audioMs;
    }
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: atOnce }, () => speakNext(client))));
  const [wallSeconds, audioSeconds] = [(performance.now() - startMs) / 1000, audioMs / 1000];
  return {
    speed: audioSeconds / wallSeconds,
    processorMs: ((processorSeconds() - before) / audioSeconds) * 1000,
    ...(parts === undefined || partsBefore === undefined
      ? {}
      : { bulk: { parts: subtractParts(parts(), partsBefore), audioSeconds, wallSeconds } }),
  };
}

/** A fast wrong answer is none. */
async function checkLengths(ways: readonly Way[], utterances: readonly Utterance[]): Promise<void> {
  for (const utterance of utterances) {
    let firstSeconds: number | null = null;
    for (const { name, clients } of ways.filter(({ speaksTexts }) => speaksTexts)) {
      const client = clients[0] as VoiceClient;
      const audio = await client.record(utterance);
      const seconds = audio.length / client.sampleRate;
      firstSeconds ??= seconds;
      if (level(audio) < QUIETEST) throw new RangeError(`${name} is silent at "${utterance.text}"`);
      if (Math.abs(seconds / firstSeconds - 1) > MOST_LENGTH_DIFFERENCE)
        throw new RangeError(`${name} lasts ${(seconds / firstSeconds).toFixed(2)} of piper's at "${utterance.text}"`);
    }
  }
}
