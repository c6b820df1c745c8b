/** What a program that recognizes in its own process is asked: a file of samples at 16 kHz, 16 bits, little-endian. */
export interface RecognizeQuestion {
  path: string;
}

/** What it answers. */
export interface RecognizeAnswer {
  text: string;
  /** All of the clip, from its first sample to its words. */
  totalMs: number;
  /** What of that comes after the last sample was there: less for programs that recognize while it comes. */
  afterEndMs: number;
}

/** One way to recognize English, in a process of its own. */
export interface RecognizerClient {
  name: string;
  recognize(question: RecognizeQuestion): Promise<RecognizeAnswer>;
  /** Processor seconds that it has used so far. */
  processorSeconds(): number;
  stop(): Promise<void>;
}
