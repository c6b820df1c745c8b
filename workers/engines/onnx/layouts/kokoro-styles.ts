import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ModelProblem } from "../../../repository/folder.js";
import { readNpz } from "../npz.js";
import { kokoroAccents } from "./kokoro-phonemes.js";

const STYLE_VALUES = 256;
const STYLE_BYTES = STYLE_VALUES * 4;

/** The speakers of a Kokoro model: each is a style for each number of symbols. */
export interface KokoroStyles {
  /** Names of the speakers whose language can be pronounced, sorted. */
  speakers: readonly string[];
  /** The style for so many symbols, the last where there are more. */
  styleOf(speakerId: number, symbols: number): Float32Array;
}

/** The styles in a folder of one file for each speaker, read when a speaker is first needed. Throws `ModelProblem`. */
export function openStyleFolder(folder: string): KokoroStyles {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".bin"))
    .map((name) => name.slice(0, -4));
  const speakers = pronounceable(names, "voices/");
  for (const name of speakers) {
    const bytes = statSync(join(folder, `${name}.bin`)).size;
    if (bytes === 0 || bytes % STYLE_BYTES !== 0)
      throw new ModelProblem(`voices/${name}.bin has ${bytes} bytes, no multiple of ${STYLE_BYTES}`);
  }
  const read = (speakerId: number): Float32Array => {
    const bytes = readFileSync(join(folder, `${speakers[speakerId] ?? ""}.bin`));
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  };
  const known = new Map<number, Float32Array>();
  return {
    speakers,
    styleOf(speakerId, symbols) {
      const values = known.get(speakerId) ?? read(speakerId);
      known.set(speakerId, values);
      return rowOf(values, symbols);
    },
  };
}

/** The styles in one NumPy archive with an array for each speaker. Throws `ModelProblem`. */
export async function openStyleArchive(path: string, name: string): Promise<KokoroStyles> {
  const styles = await readNpz(path, isPronounceable);
  const speakers = pronounceable([...styles.keys()], name);
  for (const [speaker, { length }] of styles)
    if (length === 0 || length % STYLE_VALUES !== 0)
      throw new ModelProblem(`${speaker} of ${name} has ${length} numbers, no multiple of ${STYLE_VALUES}`);
  return {
    speakers,
    styleOf: (speakerId, symbols) => rowOf(styles.get(speakers[speakerId] ?? "") ?? new Float32Array(0), symbols),
  };
}

function rowOf(values: Float32Array, symbols: number): Float32Array {
  const row = Math.min(Math.max(0, symbols), values.length / STYLE_VALUES - 1);
  return values.slice(row * STYLE_VALUES, (row + 1) * STYLE_VALUES);
}

function pronounceable(names: readonly string[], where: string): string[] {
  const speakers = names.filter(isPronounceable).sort();
  if (speakers.length === 0)
    throw new ModelProblem(
      `${where} has no speaker whose language can be pronounced (there are ${names.toSorted().slice(0, 5).join(", ") || "none"})`,
    );
  return speakers;
}

const isPronounceable = (name: string): boolean =>
  /^[A-Za-z0-9._-]{1,64}$/.test(name) && kokoroAccents[name[0] ?? ""] !== undefined;
