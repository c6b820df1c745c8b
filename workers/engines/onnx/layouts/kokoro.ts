import { join } from "node:path";
import { z } from "zod";
import { type ModelFolder, ModelProblem } from "../../../repository/folder.js";
import { readJsonFile } from "../../../repository/json-file.js";
import type { Phonemizer } from "../../espeak/phonemizer.js";
import { type KokoroAccent, kokoroAccents, kokoroSymbols } from "./kokoro-phonemes.js";
import { openStyleArchive, openStyleFolder } from "./kokoro-styles.js";
import { kokoroVocabulary } from "./kokoro-vocabulary.js";
import type { VoiceLayout } from "./layout.js";
import type { PiperConfig } from "./piper-config.js";
import { unsteeredLayout } from "./piper.js";

const SAMPLE_RATE = 24_000;
/** The id around each piece. */
const PAD = "$";
const usualSpeaker = "af_heart";

const tokenizerFile = z.object({ model: z.object({ vocab: z.record(z.string(), z.number().int().min(0)) }) });

/**
 * Kokoro's layout: the speakers are styles, in `voices/` or in the archive that the manifest names, each speaks one
 * language, and the symbols are espeak's phonemes in Kokoro's spelling. Throws `ModelProblem`.
 */
export async function openKokoroLayout(
  { folder, manifest }: ModelFolder,
  phonemizer: Phonemizer,
): Promise<VoiceLayout> {
  const { tokens, voices } = manifest.files;
  const vocabulary = symbolIds(tokens === undefined ? kokoroVocabulary : readVocabulary(join(folder, tokens.path)));
  const { speakers, styleOf } =
    voices === undefined
      ? openStyleFolder(join(folder, "voices"))
      : await openStyleArchive(join(folder, voices.path), voices.path);
  const accents = speakers.map((name) => kokoroAccents[name[0] ?? ""] as KokoroAccent);
  const usual = Math.max(0, speakers.indexOf(usualSpeaker));
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
    graphInputs: [["input_ids", "tokens"], "style", "speed"],
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

function readVocabulary(path: string): Readonly<Record<string, number>> {
  return readJsonFile(path, "tokenizer.json", tokenizerFile).model.vocab;
}

function symbolIds(vocabulary: Readonly<Record<string, number>>): Record<string, number[]> {
  const pad = vocabulary[PAD];
  if (pad === undefined) throw new ModelProblem(`tokenizer.json lacks "${PAD}"`);
  // Pieces are framed by Piper's marks for begin and end; there is nothing between symbols.
  const symbols = Object.entries(vocabulary).filter(
    ([symbol]) => symbol !== "_" && symbol !== PAD && [...symbol].length === 1,
  );
  return { ...Object.fromEntries(symbols.map(([symbol, id]) => [symbol, [id]])), "^": [pad], $: [pad] };
}
