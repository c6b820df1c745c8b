import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import { readJsonFile } from "../../repository/json-file.js";
import { kokoroAccents } from "./kokoro-phonemes.js";
import type { PhonemeType, VoiceConfig } from "./voice-config.js";

const SAMPLE_RATE = 24_000;
const STYLE_VALUES = 256;
const STYLE_BYTES = STYLE_VALUES * 4;
/** The id around each piece. */
const PAD = "$";
const usualSpeaker = "af_heart";

const tokenizerFile = z.object({ model: z.object({ vocab: z.record(z.string(), z.number().int().min(0)) }) });

/** A voice whose speakers are styles beside the graph, one for each length of the text. */
export interface KokoroVoice {
  /** As if the voice were one of Piper's. */
  config: VoiceConfig & { phoneme_type: PhonemeType };
  /** Languages of its speakers. */
  languages: string[];
  accentOf(speakerId: number): NonNullable<(typeof kokoroAccents)[string]>;
  /** The speaker for a text in a language when nobody is named. */
  speakerFor(language: string): number;
  /** The style of a speaker for so many symbols: 256 values. */
  styleOf(speakerId: number, symbols: number): Float32Array;
}

/** Reads Kokoro's symbols and finds its speakers. Throws `ModelProblem`. */
export function readKokoroVoice({ folder, manifest }: ModelFolder): KokoroVoice {
  const vocabulary = readSymbols(join(folder, manifest.files.tokens?.path ?? "tokenizer.json"));
  const speakers = findSpeakers(join(folder, "voices"));
  const accents = speakers.map((name) => kokoroAccents[name[0] ?? ""] ?? kokoroAccents.a);
  const styles = new Map<number, Float32Array>();
  const read = (speakerId: number): Float32Array => {
    const bytes = readFileSync(join(folder, "voices", `${speakers[speakerId] ?? ""}.bin`));
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    styles.set(speakerId, values);
    return values;
  };
  const usual = Math.max(0, speakers.indexOf(usualSpeaker));
  return {
    config: {
      num_speakers: speakers.length,
      audio: { sample_rate: SAMPLE_RATE },
      phoneme_type: "espeak",
      phoneme_id_map: vocabulary,
      inference: { length_scale: 1, noise_scale: 0, noise_w: 0 },
      speaker_id_map: Object.fromEntries(speakers.map((name, id) => [name, id])),
      hop_length: 1,
      default_speaker_id: usual,
    },
    languages: [...new Set(accents.map((accent) => accent?.language ?? "en"))],
    accentOf: (speakerId) => accents[speakerId] as NonNullable<(typeof kokoroAccents)[string]>,
    speakerFor(language) {
      const primary = language.split(/[-_]/)[0]?.toLowerCase() ?? "";
      if (accents[usual]?.language === primary) return usual;
      const found = accents.findIndex((accent) => accent?.language === primary);
      return found < 0 ? usual : found;
    },
    styleOf(speakerId, symbols) {
      const values = styles.get(speakerId) ?? read(speakerId);
      const row = Math.min(Math.max(0, symbols), values.length / STYLE_VALUES - 1);
      return values.slice(row * STYLE_VALUES, (row + 1) * STYLE_VALUES);
    },
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
