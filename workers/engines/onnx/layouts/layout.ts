import type { SpeechChunk, VoiceTraits } from "#protocol/speech/chunk";
import type { SpokenText } from "../../../text/spoken-text.js";
import type { Steering } from "../steering.js";
import type { Piece, VoiceSymbol } from "../symbols.js";
import type { GraphCall } from "../voice-graph.js";
import type { PiperConfig } from "./piper-config.js";

/**
 * What the engine asks of a family of voices: how their graphs are fed, how their symbols are made from text, and how
 * their speakers are chosen and steered. `openLayout` picks one for a model when it is loaded.
 */
export interface VoiceLayout {
  /** Symbols, speakers, sample rate and scales. Layouts other than Piper's fill it in as Piper would. */
  config: PiperConfig;
  /** The inputs that the graph must have, no more and no less; a list is the names of one, which exports call differently. */
  graphInputs: readonly (string | readonly string[])[];
  /** Languages of the voice where its manifest names none. */
  languages: string[];
  /**
   * Turns spoken text into symbols; none for a language that the voice does not speak. `source` is the chunk's own
   * text, which still has the writer's stars.
   */
  read(spoken: SpokenText, source: string, speakerId: number): Promise<VoiceSymbol[]>;
  /** Gives the symbols and the pace (factor on the rate) the variety that the chunk's sampling asks for. */
  vary(
    symbols: readonly VoiceSymbol[],
    chunk: Pick<SpeechChunk, "sampling" | "seed">,
  ): { symbols: readonly VoiceSymbol[]; pace: number };
  /**
   * The speaker when the chunk names none. `own` are the measured traits of the speakers, empty unless `traits` is set.
   */
  defaultSpeaker(language: string, traits: VoiceTraits | null, own: readonly (VoiceTraits | null)[]): number;
  /** The speaker whose measured traits stand for this one's; null when a cloned voice cannot steer this speaker. */
  measuredSpeaker(speakerId: number): number | null;
  /** The `scales` of the graph's call. */
  scales(steering: Steering, speakerId: number): number[];
  /** Change of pitch that is made after the graph: 1 where the graph itself takes the pitch. */
  pitchRatio(steering: Steering): number;
  /** What the rows of a call have besides ids and speakers. */
  rowInputs(rows: readonly { piece: Piece; speakerId: number }[]): Pick<GraphCall, "controls" | "styles" | "prosody">;
}
