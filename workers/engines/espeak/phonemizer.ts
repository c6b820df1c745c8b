import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { voiceForLanguage } from "./languages.js";
import { escapeMarkup } from "./markup.js";
import { EspeakPool } from "./pool.js";
import type { Mark } from "./framing.js";

/** A phoneme symbol (one code point, as Piper's voices name them) and the range of the text that it came from. */
export interface PhonemeSymbol {
  symbol: string;
  range: { start: number; end: number };
}

/** Pronounces text by way of a speech process: the audio is thrown away, the phonemes are kept. */
export class Phonemizer {
  readonly #pool: EspeakPool;
  #started: Promise<void> | null = null;

  constructor(options: { log: Logger; clock: Clock }) {
    this.#pool = new EspeakPool(options);
  }

  /** Starts the process at the first call; rejects with the reason when there is none. */
  start(): Promise<void> {
    this.#started ??= this.#pool.start(1);
    return this.#started;
  }

  /**
   * The phonemes of `text` in a language or espeak voice name; blanks and punctuation stand where they stood. Rejects
   * when the process breaks.
   */
  async phonemize(text: string, voiceName: string): Promise<PhonemeSymbol[]> {
    await this.start();
    const process = await this.#pool.acquire();
    try {
      const escaped = escapeMarkup(text);
      const voice = voiceForLanguage(voiceName, process.ready.languages) ?? voiceName;
      const marks: Mark[] = [];
      const handlers = { onMarks: (more: Mark[]): void => void marks.push(...more), onSamples: () => undefined };
      const message = { voice, rate: 450, pitch: 50, range: 50, text: escaped.text, phonemes: true };
      await process.speak(message, handlers, new AbortController().signal);
      return symbolsOf(
        text,
        marks.map((mark) => ({ ...mark, at: escaped.offsets[mark.at] ?? text.length })),
      );
    } finally {
      this.#pool.release(process);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** Between words stands a blank, after punctuation as it is written: the voices learned their pauses from both. */
function symbolsOf(text: string, marks: readonly Mark[]): PhonemeSymbol[] {
  const symbols: PhonemeSymbol[] = [];
  let wordEnd = 0;
  let word = { start: 0, end: 0 };
  const addBetween = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const character = text.charAt(at);
      const symbol = /\s/u.test(character) ? " " : character;
      if (/[.,;:!?¡¿…—– ]/u.test(symbol)) symbols.push({ symbol, range: { start: at, end: at + 1 } });
    }
  };
  for (const mark of marks) {
    if (mark.kind === "word") {
      if (mark.at < word.start) continue;
      addBetween(wordEnd, mark.at);
      word = { start: mark.at, end: mark.at + Math.max(1, mark.length) };
      wordEnd = Math.max(wordEnd, word.end);
    } else if (mark.ipa !== "") {
      for (const symbol of mark.ipa.normalize("NFD")) symbols.push({ symbol, range: word });
    }
  }
  addBetween(wordEnd, text.length);
  return symbols;
}
