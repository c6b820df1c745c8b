/**
 * Longest piece that is handed to the tokenizer whole, in UTF-16 units: its time grows with the square of a run without
 * spaces.
 */
const MAX_RUN = 256;

/**
 * Whether a text has at most `limit` tokens of o200k_base. Exact, apart from runs of more than 256 characters without
 * white space, which are counted in pieces: a cut can add one token. No token is shorter than a byte, so short texts
 * are never tokenized and the tables not loaded.
 */
export async function hasAtMostTokens(text: string, limit: number): Promise<boolean> {
  if (Buffer.byteLength(text) <= limit) return true;
  // Loaded when the first long prompt comes: the tables are 20 MB of memory.
  const { countTokens, setMergeCacheSize } = await import("gpt-tokenizer/encoding/o200k_base");
  // Its cache would keep pieces of prompts for good.
  setMergeCacheSize(0);
  let count = 0;
  for (const piece of pieces(text)) {
    // Names of special tokens are plain text in a prompt.
    count += countTokens(piece, { disallowedSpecial: new Set() });
    if (count > limit) return false;
  }
  return true;
}

/**
 * The text in pieces that begin at white space, or, where none comes for long, anywhere but inside of a surrogate pair.
 */
function* pieces(text: string): Generator<string> {
  let run = "";
  for (const word of text.split(/(?=\s)/)) {
    if (word.length <= MAX_RUN) {
      // Many short words in one call cost no more than in several.
      run += word;
      if (run.length < 16 * MAX_RUN) continue;
      yield run;
      run = "";
      continue;
    }
    if (run !== "") yield run;
    run = "";
    for (let start = 0; start < word.length; ) {
      const end = start + MAX_RUN;
      const splitsPair = /[\ud800-\udbff]/.test(word[end - 1] ?? "");
      yield word.slice(start, splitsPair ? end + 1 : end);
      start = splitsPair ? end + 1 : end;
    }
  }
  if (run !== "") yield run;
}
