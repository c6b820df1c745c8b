import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { bytesToSamples } from "#audio/pcm";
import { wavFile } from "#audio/testing/wav-file";
import type { TestCluster } from "../harness/cluster.js";
import { speech } from "../harness/http-speech.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { describeBrowser } from "./pages.js";
import { describeRefusals } from "./refusals.js";
import { describeSpeak } from "./speak.js";
import { describeTranscribe, SAID } from "./transcribe.js";
import { describeVoices } from "./voices.js";

const MICROPHONE_RATE = 44_100;

/** The sections that speak and that listen, in a browser with a microphone. */
export function describeAudio(started: () => TestCluster): void {
  const directory = temporaryDirectory("microphone");
  const microphoneFile = join(directory.path, "microphone.wav");
  // Half a second of silence, a sentence, and silence that ends a turn.
  beforeAll(async () => {
    const pcm = await speech(started(), { text: SAID, format: "pcm", sample_rate: MICROPHONE_RATE });
    const words = bytesToSamples(pcm);
    const format = { sampleRate: MICROPHONE_RATE, channels: 1, bits: 16 };
    const file = wavFile(
      format,
      words.length + 2 * MICROPHONE_RATE,
      (frame) => (words[frame - MICROPHONE_RATE / 2] ?? 0) / 0x8000,
    );
    writeFileSync(microphoneFile, file);
  });
  afterAll(() => directory.remove());

  const pages = describeBrowser(started, microphoneFile);
  describeSpeak(started, pages);
  describeTranscribe(started, pages);
  describeVoices(pages);
  describeRefusals(started, pages);
}
