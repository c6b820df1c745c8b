/** Which part of the spoken text one source word became. UTF-16 offsets, ends exclusive. */
export interface SpokenSpan {
  spokenStart: number;
  spokenEnd: number;
  sourceStart: number;
  sourceEnd: number;
}

/** Text as it is to be spoken, and the way back: spans are in order and do not overlap, on either side. */
export interface NormalizedText {
  spoken: string;
  spans: SpokenSpan[];
}
