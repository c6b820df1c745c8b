/** A word that the caller or the deployment expects, in the symbols of one recognizer. */
export interface Keyterm {
  /** As it is written in transcripts. */
  text: string;
  /** Its id in the language model; null for a word that the words file lacks. */
  word: number | null;
  /** Sequences of symbols, at least one, none of them empty. */
  pronunciations: readonly Uint8Array[];
}
