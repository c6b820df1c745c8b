import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { decodeAudio } from "#audio/decoding/decode";

/** A person who reads a sentence. */
export interface Recording {
  corpus: string;
  /** Null where only the audio is known. */
  text: string;
  samples: Int16Array;
}

/** Corpora of which everything is for evaluation, and of Common Voice every fourth line (the README of the data). */
const wholeCorpora = ["pocketsphinx", "librivox_sonnet", "cmu_arctic", "librispeech"];

/**
 * The recordings that no model was trained on: `human/` and `ljspeech/` in the folder of the data. `every` takes each
 * nth of them only.
 */
export async function readEvaluation(data: string, every = 1): Promise<Recording[]> {
  const listed = [
    ...lines(data, "human/commonvoice").filter((_, at) => at % 4 === 3),
    ...wholeCorpora.flatMap((corpus) => lines(data, `human/${corpus}`)),
    ...lines(data, "ljspeech").filter(({ id }) => id.endsWith("0")),
  ].filter((_, at) => at % every === 0);
  return await Promise.all(
    listed.map(async ({ corpus, path, text }) => {
      const { pcm } = await decodeAudio(readFileSync(path), { maxSeconds: 60, sampleRate: RECOGNITION_RATE });
      return { corpus, text, samples: pcm.samples };
    }),
  );
}

function lines(data: string, corpus: string): { id: string; corpus: string; path: string; text: string }[] {
  const folder = join(data, corpus);
  return readFileSync(join(folder, "metadata.csv"), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [id = "", , text = ""] = line.split("|");
      const path = corpus === "ljspeech" ? join(folder, "clips", `${id}.flac`) : join(folder, `${id}.opus`);
      return { id, corpus, path, text };
    });
}
