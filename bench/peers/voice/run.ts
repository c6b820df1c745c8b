import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { watchOthers } from "../../machine.js";
import type { VoicePeersScenario } from "../../scenarios.js";
import { objections } from "../../validity.js";
import { spectralDistanceDb } from "#workers/engines/testing/spectral-distance";
import { allowedCores, checkPinned, pinThisProcess, pinWhatIsStarted } from "../cores.js";
import { type Peers, peersFolder } from "../installed.js";
import { type Checked, figuresOf, type Round, type VoicePeersFigures } from "./figures.js";
import { startInProcess } from "./in-process.js";
import { startPiper } from "./piper.js";
import { level } from "./level.js";
import { voiceFolder } from "../../voice-engine.js";
import { makeUtterances, type Utterance } from "./symbols.js";
import { sentences } from "./texts.js";
import { FIRST_AUDIO_MS, type VoiceClient } from "./way.js";
import { startWholeService } from "./whole-service.js";

/** Each way rests this long before a first audio is measured, so that none finds its caches warmer. */
const REST_MS = 40;
const WARM_UP = 10;
/** Idle time over which the cluster's own pulse is measured. */
const IDLE_MS = 2000;
/** The voice's own rate. */
const OWN_RATE = 22_050;
const QUIETEST = 0.01;
/**
 * A sentence may be so much longer or shorter than the engine's; `/v1/tts` speaks a long one in clauses, whose pauses
 * are its own.
 */
const MOST_LENGTH_DIFFERENCE = 0.1;
/** The same symbols with the same weights: the engine rounds to integers, which moves the pitch by cents. */
const MOST_DISTANCE_DB = 3;

/**
 * Measures four ways to speak with one file in turns, all on one core, the asking on another. Throws when one does not
 * speak as the engine does.
 */
export async function runVoicePeers(
  scenario: VoicePeersScenario,
  peers: Peers,
): Promise<{ figures: VoicePeersFigures; invalid: string[] }> {
  const utterances = makeUtterances(sentences.slice(0, scenario.sentences));
  const [clause] = makeUtterances([scenario.clause]) as [Utterance];
  const cores = allowedCores(process.pid);
  const [askingCore, measuredCore] = [cores[0] ?? 0, cores.at(-1) ?? 0];
  const ways: VoiceClient[] = [];
  try {
    pinWhatIsStarted([measuredCore]);
    const service = await startWholeService({ workers: 1, connections: 1 });
    ways.push(service);
    ways.unshift(
      await startInProcess("Parley's engine", OWN_RATE, {
        command: process.execPath,
        args: [join(import.meta.dirname, "engine-process.js")],
      }),
    );
    const sherpaArgs = [join(peersFolder, "sherpa_voice.py"), voiceFolder, String(FIRST_AUDIO_MS)];
    ways.unshift(await startInProcess("sherpa-onnx", OWN_RATE, { command: peers.python, args: sherpaArgs }));
    ways.unshift(await startPiper(peers));
    pinThisProcess([askingCore]);
    checkPinned([measuredCore]);

    const checked = await compareAudios(ways, utterances);
    for (let i = 0; i < WARM_UP; i++) for (const way of ways) await way.speak(clause);
    const idleCores = await idle(ways);
    const others = watchOthers();
    const rounds: Round[][] = [];
    for (let round = 0; round < scenario.rounds; round++)
      rounds.push(await oneRound(ways, utterances, clause, { scenario, round }));
    const invalid = objections({ load: others.read(), errors: service.complaints.length });
    invalid.push(...service.complaints.map(({ name, level, text }) => `${name}, ${level}: ${text}`));
    if (askingCore === measuredCore) invalid.push("one core for the asking and the speaking");
    return { figures: { versions: peers.versions, idleCores, ...figuresOf(ways, rounds, checked) }, invalid };
  } finally {
    await Promise.all(ways.map((way) => way.stop()));
    pinThisProcess(cores);
  }
}

/** Round after round another way comes first. */
async function oneRound(
  ways: readonly VoiceClient[],
  utterances: readonly Utterance[],
  clause: Utterance,
  at: { scenario: VoicePeersScenario; round: number },
): Promise<Round[]> {
  const order = ways.map((_, index) => (index + at.round) % ways.length);
  const results: Round[] = ways.map(() => ({ realTimeFactor: Number.NaN, processorFactor: Number.NaN, firstMs: [] }));
  for (const index of order) {
    const [way, result] = [ways[index] as VoiceClient, results[index] as Round];
    const processorBefore = way.processorSeconds();
    let [audioMs, totalMs] = [0, 0];
    for (const utterance of utterances) {
      const speech = await way.speak(utterance);
      audioMs += speech.audioMs;
      totalMs += speech.totalMs;
    }
    result.realTimeFactor = totalMs / audioMs;
    result.processorFactor = ((way.processorSeconds() - processorBefore) * 1000) / audioMs;
  }
  for (let i = 0; i < at.scenario.clausesPerRound; i++) {
    for (const index of order) {
      await delay(REST_MS);
      results[index]?.firstMs.push((await (ways[index] as VoiceClient).speak(clause)).firstMs);
    }
  }
  return results;
}

/** A fast wrong answer is none. */
async function compareAudios(ways: readonly VoiceClient[], utterances: readonly Utterance[]): Promise<Checked> {
  const reference = ways.findIndex(({ name }) => name === "Parley's engine");
  const seconds = ways.map(() => 0);
  const worstDb: (number | null)[] = ways.map(({ sampleRate }) => (sampleRate === OWN_RATE ? 0 : null));
  for (const utterance of utterances) {
    const recordings = [];
    for (const way of ways) recordings.push(await way.record(utterance));
    const own = recordings[reference] as Int16Array;
    for (const [index, audio] of recordings.entries()) {
      const { name, sampleRate } = ways[index] as VoiceClient;
      const length = audio.length / sampleRate / (own.length / OWN_RATE);
      if (level(audio) < QUIETEST) throw new RangeError(`${name} is silent at "${utterance.text}"`);
      if (Math.abs(length - 1) > MOST_LENGTH_DIFFERENCE)
        throw new RangeError(`${name} lasts ${length.toFixed(2)} of it at "${utterance.text}"`);
      seconds[index] = (seconds[index] ?? 0) + audio.length / sampleRate;
      const worst = worstDb[index] ?? null;
      if (worst === null) continue;
      worstDb[index] = Math.max(worst, spectralDistanceDb(own, audio));
      if ((worstDb[index] ?? 0) > MOST_DISTANCE_DB)
        throw new RangeError(`${name} does not sound as the engine does at "${utterance.text}"`);
    }
  }
  const audioSeconds = seconds[reference] ?? Number.NaN;
  return { audioSeconds, length: seconds.map((own) => own / audioSeconds), distanceDb: worstDb };
}

async function idle(ways: readonly VoiceClient[]): Promise<number> {
  const used = (): number => ways.reduce((sum, way) => sum + way.processorSeconds(), 0);
  const [before, startMs] = [used(), performance.now()];
  await delay(IDLE_MS);
  return ((used() - before) * 1000) / (performance.now() - startMs);
}
