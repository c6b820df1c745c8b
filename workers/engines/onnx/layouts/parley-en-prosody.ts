import { join } from "node:path";
import { z } from "zod";
import type { ModelFolder } from "../../../repository/folder.js";
import { readJsonFile } from "../../../repository/json-file.js";

/** `prosody.json`, as `models/training/voice/prosody_export.py` writes it beside the prosody graph. */
const prosodyConfig = z.strictObject({
  /** Words that the graph knows, the commonest first. */
  words: z.array(z.string()),
  /** How much of its own pitch movement each speaker keeps; 1 where the graph knows nothing of the speaker. */
  ownRange: z.array(z.number().gt(0).max(1)),
});

/** What the layout must know of a voice's prosody graph. */
export interface Prosody {
  /** Place of each word in the graph's list, counted from 1. */
  commonWords: ReadonlyMap<string, number>;
  ownRange: readonly number[];
}

/** Reads the configuration of a voice's prosody graph, null where the manifest names none. Throws `ModelProblem`. */
export function openProsody({ folder, manifest: { files } }: ModelFolder): Prosody | null {
  if (files.prosody === undefined || files.prosodyConfig === undefined) return null;
  const { words, ownRange } = readJsonFile(join(folder, files.prosodyConfig.path), "the prosody's JSON", prosodyConfig);
  return { commonWords: new Map(words.map((word, i) => [word, i + 1])), ownRange };
}
