import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { samplesToBytes } from "#audio/pcm";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { temporaryDirectory } from "#test/harness/temporary-directory";
import { readClips } from "#workers/engines/ctc/testing/clips";
import { watchOthers } from "../../machine.js";
import { processSeconds } from "../../processor-time.js";
import type { RecognitionPeersScenario } from "../../scenarios.js";
import { addErrors, noErrors, rate, wordErrors } from "../../turn/word-errors.js";
import { objections } from "../../validity.js";
import { allowedCores, checkPinned, pinThisProcess, pinWhatIsStarted } from "../cores.js";
import { type Peers, peersFolder } from "../installed.js";
import { type ProgramOptions, startLineProgram } from "../program.js";
import { figuresOf, type RecognizerRound, type RecognitionPeersFigures } from "./figures.js";
import type { RecognizeAnswer, RecognizerClient } from "./recognizer-client.js";

/** More word errors mean that a program does not recognize. */
const MOST_WORD_ERRORS = 80;

interface ClipFile {
  path: string;
  seconds: number;
  said: string;
}

/** Measures recognizers in turns on the same clips, all on one core, the asking on another; Parley's comes first. */
export async function runRecognitionPeers(
  { rounds }: RecognitionPeersScenario,
  peers: Peers,
): Promise<{ figures: RecognitionPeersFigures; invalid: string[] }> {
  const folder = temporaryDirectory("bench-clips");
  const clips = await writeClips(folder.path);
  const cores = allowedCores(process.pid);
  const [askingCore, measuredCore] = [cores[0] ?? 0, cores.at(-1) ?? 0];
  const clients: RecognizerClient[] = [];
  const add = async (name: string, options: ProgramOptions): Promise<void> =>
    void clients.push(await startClient(name, options));
  const peer = (file: string): ProgramOptions => ({ command: peers.python, args: [join(peersFolder, file)] });
  try {
    pinWhatIsStarted([measuredCore]);
    await add("Parley's engine", { command: process.execPath, args: [join(import.meta.dirname, "engine-process.js")] });
    await add("pocketsphinx", peer("pocketsphinx_words.py"));
    await add("Moonshine base", peer("moonshine_words.py"));
    pinThisProcess([askingCore]);
    checkPinned([measuredCore]);

    for (const client of clients) await recognizeAll(client, clips);
    const others = watchOthers();
    const recognized: RecognizerRound[][] = [];
    for (let round = 0; round < rounds; round++) recognized.push(await oneRound(clients, clips, round));
    const invalid = objections({ load: others.read(), errors: 0 });
    if (askingCore === measuredCore) invalid.push("one core for the asking and the recognizing");
    const names = clients.map(({ name }) => name);
    const audioSeconds = clips.reduce((sum, { seconds }) => sum + seconds, 0);
    const words = recognized[0]?.[0]?.errors.words ?? 0;
    const figures = {
      versions: peers.versions,
      clips: clips.length,
      words,
      audioSeconds,
      ...figuresOf(names, recognized),
    };
    return { figures, invalid };
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
    pinThisProcess(cores);
    folder.remove();
  }
}

async function writeClips(folder: string): Promise<ClipFile[]> {
  const clips = await readClips();
  await closeDecoderThreads();
  return clips.map(({ samples, words }, index) => {
    const path = join(folder, `${index}.pcm`);
    writeFileSync(path, samplesToBytes(samples));
    return { path, seconds: samples.length / RECOGNITION_RATE, said: words.join(" ") };
  });
}

async function startClient(name: string, options: ProgramOptions): Promise<RecognizerClient> {
  const program = await startLineProgram(options);
  return {
    name,
    recognize: (question) => program.ask<RecognizeAnswer>(question),
    processorSeconds: () => processSeconds(program.pid),
    stop: program.stop,
  };
}

/** Round after round another way comes first. */
async function oneRound(
  clients: readonly RecognizerClient[],
  clips: readonly ClipFile[],
  round: number,
): Promise<RecognizerRound[]> {
  const results: RecognizerRound[] = [];
  for (const offset of clients.keys()) {
    const index = (offset + round) % clients.length;
    results[index] = await recognizeAll(clients[index] as RecognizerClient, clips);
  }
  return results;
}

/** Throws where a program does not understand what is said: a fast wrong answer is none. */
async function recognizeAll(client: RecognizerClient, clips: readonly ClipFile[]): Promise<RecognizerRound> {
  const usedBefore = client.processorSeconds();
  let [totalMs, seconds, errors] = [0, 0, noErrors()];
  const afterEndMs: number[] = [];
  for (const clip of clips) {
    const answer = await client.recognize({ path: clip.path });
    totalMs += answer.totalMs;
    seconds += clip.seconds;
    afterEndMs.push(answer.afterEndMs);
    errors = addErrors(errors, wordErrors(clip.said, answer.text));
  }
  if (rate(errors) > MOST_WORD_ERRORS)
    throw new RangeError(`${client.name} has ${rate(errors).toFixed(0)} % of the words wrong`);
  const processorMs = ((client.processorSeconds() - usedBefore) * 1000) / seconds;
  return { clockMs: totalMs / seconds, processorMs, afterEndMs, errors };
}
