import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { wavFile } from "#audio/testing/wav-file";
import type { TestCluster } from "./cluster.js";
import { speech } from "./http-speech.js";

const RATE = 44_100;

/**
 * What a browser's microphone hears, again and again: a second of silence, "When do you open?" in the cluster's voice,
 * and so many seconds of silence. Gives the file's path.
 */
export async function writeQuestionFile(
  cluster: TestCluster,
  { folder, silenceSeconds }: { folder: string; silenceSeconds: number },
): Promise<string> {
  const pcm = await speech(cluster, { text: "When do you open?", format: "pcm", sample_rate: RATE });
  const words = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength));
  const samples = new Int16Array(RATE * (1 + silenceSeconds) + words.length);
  samples.set(words, RATE);
  const path = join(folder, "question.wav");
  const file = wavFile({ sampleRate: RATE, channels: 1, bits: 16 }, samples.length, (at) => (samples[at] ?? 0) / 32768);
  writeFileSync(path, file);
  return path;
}
