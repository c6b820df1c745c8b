import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type ModelFolder, ModelProblem } from "../../../repository/folder.js";
import { readJsonFile } from "../../../repository/json-file.js";
import type { Phonemizer } from "../../espeak/phonemizer.js";
import { type KokoroAccent, kokoroAccents, kokoroSymbols } from "./kokoro-phonemes.js";
import type { VoiceLayout } from "./layout.js";
import type { PiperConfig } from "./piper-config.js";
import { unsteeredLayout } from "./piper.js";

const SAMPLE_RATE = 24_000;
const STYLE_VALUES = 256;
const STYLE_BYTES = STYLE_VALUES * 4;
/** The id around each piece. */
const PAD = "$";
const usualSpeaker = "af_heart";

const tokenizerFile = z.object({ model: z.object({ vocab: z.record(z.string(), z.number().int().min(0)) }) });

/** Styles lie beside the graph: for each speaker one for each number of symbols. */
type Styles = (speakerId: number, symbols: number) => Float32Array;

/**
 * Kokoro's layout: the speakers are styles in `voices/`, each speaks one language, and the symbols are espeak's
 * phonemes in Kokoro's spelling. Throws `ModelProblem`.
 */
export async function openKokoroLayout(
  { folder, manifest }: ModelFolder,
  phonemizer: Phonemizer,
): Promise<VoiceLayout> {
  const vocabulary = readSymbols(join(folder, manifest.files.tokens?.path ?? "tokenizer.json"));
  const speakers = findSpeakers(join(folder, "voices"));
  const accents = speakers.map((name) => kokoroAccents[name[0] ?? ""] as KokoroAccent);
  const usual = Math.max(0, speakers.indexOf(usualSpeaker));
  const styleOf = readStyles(join(folder, "voices"), speakers);
  const config: PiperConfig = {
    num_speakers: speakers.length,
    audio: { sample_rate: SAMPLE_RATE },
    phoneme_type: "espeak",
    phoneme_id_map: vocabulary,
    inference: { length_scale: 1, noise_scale: 0, noise_w: 0 },
    speaker_id_map: Object.fromEntries(speakers.map((name, id) => [name, id])),
    hop_length: 1,
    default_speaker_id: usual,
  };
  await phonemizer.start();
  return {
    ...unsteeredLayout(config),
    graphInputs: ["input_ids", "style", "speed"],
    languages: [...new Set(accents.map(({ language }) => language))],
    async read({ text }, _source, speakerId) {
      const { espeakVoice, accent } = accents[speakerId] as KokoroAccent;
      return kokoroSymbols(await phonemizer.phonemize(text, espeakVoice), accent);
    },
    defaultSpeaker(language) {
      const primary = language.split(/[-_]/)[0]?.toLowerCase() ?? "";
      if (accents[usual]?.language === primary) return usual;
      const found = accents.findIndex((accent) => accent.language === primary);
      return found < 0 ? usual : found;
    },
    rowInputs: (rows) => ({
      controls: null,
      styles: rows.map(({ piece, speakerId }) => styleOf(speakerId, piece.symbols.length)),
    }),
  };
}

/** Reads the styles of a speaker when they are first needed. */
function readStyles(folder: string, speakers: readonly string[]): Styles {
  const styles = new Map<number, Float32Array>();
  const read = (speakerId: number): Float32Array => {
    const bytes = readFileSync(join(folder, `${speakers[speakerId] ?? ""}.bin`));
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    styles.set(speakerId, values);
    return values;
  };
  return (speakerId, symbols) => {
    const values = styles.get(speakerId) ?? read(speakerId);
    const row = Math.min(Math.max(0, symbols), values.length / STYLE_VALUES - 1);
    return values.slice(row * STYLE_VALUES, (row + 1) * STYLE_VALUES);
  };
}

function readSymbols(path: string): Record<string, number[]> {
  const { vocab } = readJsonFile(path, "tokenizer.json", tokenizerFile).model;
  const pad = vocab[PAD];
  if (pad === undefined) throw new ModelProblem(`tokenizer.json lacks "${PAD}"`);
  // Pieces are framed by Piper's marks for begin and end; there is nothing between symbols.
  const symbols = Object.entries(vocab).filter(
    ([symbol]) => symbol !== "_" && symbol !== PAD && [...symbol].length === 1,
  );
  return { ...Object.fromEntries(symbols.map(([symbol, id]) => [symbol, [id]])), "^": [pad], $: [pad] };
}

/** Names of the speakers whose language can be pronounced, sorted. */
function findSpeakers(folder: string): string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".bin"))
    .map((name) => name.slice(0, -4))
    .sort();
  const speakers = names.filter(
    (name) => /^[A-Za-z0-9._-]{1,64}$/.test(name) && kokoroAccents[name[0] ?? ""] !== undefined,
  );
  if (speakers.length === 0)
    throw new ModelProblem(
      `voices/ has no speaker whose language can be pronounced (there are ${names.slice(0, 5).join(", ") || "none"})`,
    );
  for (const name of speakers) {
    const bytes = statSync(join(folder, `${name}.bin`)).size;
    if (bytes === 0 || bytes % STYLE_BYTES !== 0)
      throw new ModelProblem(`voices/${name}.bin has ${bytes} bytes, no multiple of ${STYLE_BYTES}`);
  }
  return speakers;
}
