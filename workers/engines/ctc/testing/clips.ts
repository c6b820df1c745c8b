import { readFileSync } from "node:fs";
import { decodeAudio } from "#audio/decoding/decode";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";

export interface Clip {
  samples: Int16Array;
  /** What is read, in lower case without punctuation. */
  words: string[];
}

/** The compiled file lies in `dist/workers/engines/ctc/testing/`; the clips are not compiled. */
const folder = new URL("../../../../../workers/engines/ctc/testing/clips/", import.meta.url);

/** Human speech with what is said; see README.md beside it. */
export async function readClips(): Promise<Clip[]> {
  const lines = readFileSync(new URL("sentences.tsv", folder), "utf8").trim().split("\n");
  return await Promise.all(
    lines.map(async (line) => {
      const [file = "", text = ""] = line.split("\t");
      const { pcm } = await decodeAudio(readFileSync(new URL(file, folder)), {
        maxSeconds: 30,
        sampleRate: RECOGNITION_RATE,
      });
      return { samples: pcm.samples, words: text.toLowerCase().match(/[a-z]+(?:'[a-z]+)*/g) ?? [] };
    }),
  );
}
