import { join } from "node:path";
import { knownSymbols } from "#workers/engines/onnx/symbols";
import { readPiperConfig } from "#workers/engines/onnx/layouts/piper-config";
import { EnglishFrontEnd } from "#workers/text/pronunciation/front-end";
import { spokenText } from "#workers/text/spoken-text";
import { voiceFolder } from "../../voice-engine.js";

/**
 * What is spoken: the text, and the symbols that Parley's front end makes of it, for peers that have no such front end.
 */
export interface Utterance {
  text: string;
  symbols: string;
}

/**
 * Makes utterances of texts. Throws when a text has a symbol that no peer can be told: a pitch or duration of its own.
 */
export function makeUtterances(texts: readonly string[]): Utterance[] {
  const frontEnd = EnglishFrontEnd.load(join(voiceFolder, "lexicon.bin"));
  const { phoneme_id_map: ids } = readPiperConfig(join(voiceFolder, "model.onnx.json"));
  return texts.map((text) => {
    const spoken = spokenText({
      text,
      normalize: true,
      voice: { speaker: null, language: null, speed: 1, traits: null },
    });
    const symbols = knownSymbols(frontEnd.pronounce(spoken.text), ids);
    const steered = symbols.find(
      ({ pitchSemitones = 0, durationFactor = 1 }) => pitchSemitones !== 0 || durationFactor !== 1,
    );
    if (steered !== undefined) throw new RangeError(`"${text}" is steered at "${steered.symbol}"`);
    return { text, symbols: symbols.map(({ symbol }) => symbol).join("") };
  });
}
