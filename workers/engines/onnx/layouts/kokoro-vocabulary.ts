/** Symbols whose ids follow one another, and the id of the first. */
const runs: readonly (readonly [firstId: number, symbols: string])[] = [
  [0, "$"],
  [1, ";:,.!?"],
  [9, '—…"()“” \u0303ʣʥʦʨᵝꭧAI'],
  [31, "O"],
  [33, "Q"],
  [35, "ST"],
  [39, "W"],
  [41, "Yᵊabcdef"],
  [50, "hijklmnopqrstuvwxyzɑɐɒæ"],
  [75, "βɔɕç"],
  [80, "ɖðʤə"],
  [85, "ɚɛɜ"],
  [90, "ɟ"],
  [92, "ɡ"],
  [99, "ɥ"],
  [101, "ɨɪʝ"],
  [110, "ɯɰŋɳɲɴø"],
  [118, "ɸθœ"],
  [123, "ɹ"],
  [125, "ɾɻ"],
  [128, "ʁɽʂʃʈʧ"],
  [135, "ʊʋ"],
  [138, "ʌɣɤ"],
  [142, "χʎ"],
  [147, "ʒʔ"],
  [156, "ˈˌː"],
  [162, "ʰ"],
  [164, "ʲ"],
  [169, "↓"],
  [171, "→↗↘"],
  [177, "ᵻ"],
];

/**
 * The ids of Kokoro-82M's symbols, `$` around a text among them, for folders that have no tokenizer.json: `vocab` of
 * https://huggingface.co/hexgrad/Kokoro-82M/blob/main/config.json.
 */
export const kokoroVocabulary: Readonly<Record<string, number>> = Object.fromEntries(
  runs.flatMap(([firstId, symbols]) => [...symbols].map((symbol, i) => [symbol, firstId + i])),
);
