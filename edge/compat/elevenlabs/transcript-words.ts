import type { RecognizedWord } from "#protocol/transcription/chunk";

/** An entry of `words` as ElevenLabs' libraries read it. `logprob` and `speaker_id` are fixed. */
export interface TranscriptEntry {
  text: string;
  type: "word" | "spacing";
  start: number;
  end: number;
  logprob: 0;
  speaker_id: null;
}

/** The words with the blanks between them; blanks have times too, since some clients take the least of all. */
export function transcriptEntries(words: readonly RecognizedWord[]): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  for (const { text, startMs, endMs } of words) {
    const last = entries.at(-1);
    const start = seconds(startMs);
    if (last !== undefined) entries.push(entry(" ", "spacing", last.end, Math.max(last.end, start)));
    entries.push(entry(text, "word", start, seconds(endMs)));
  }
  return entries;
}

function entry(text: string, type: TranscriptEntry["type"], start: number, end: number): TranscriptEntry {
  return { text, type, start, end, logprob: 0, speaker_id: null };
}

const seconds = (ms: number): number => Math.round(ms) / 1000;
