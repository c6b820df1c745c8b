import type { ChunkAlignment } from "#protocol/speech/timestamps";

/** A piece of shown text; words have their times in the audio, what stands between them has none. */
export interface TimedText {
  text: string;
  time: { startSeconds: number; endSeconds: number } | null;
}

/** The latest of what is known of each chunk, in their order. */
export function withChunk(chunks: readonly ChunkAlignment[], next: ChunkAlignment): ChunkAlignment[] {
  return [...chunks.filter(({ chunk_seq }) => chunk_seq !== next.chunk_seq), next].sort(
    (a, b) => a.chunk_seq - b.chunk_seq,
  );
}

/** The text of chunks as it was written, with the words whose times are known set apart. */
export function timedText(chunks: readonly ChunkAlignment[]): TimedText[] {
  return chunks.flatMap(({ content, alignment, chunk_audio_offset_sec }, index) => {
    const pieces: TimedText[] = index === 0 ? [] : [{ text: " ", time: null }];
    let at = 0;
    for (const { text, start, end } of alignment?.segments ?? []) {
      const found = content.indexOf(text, at);
      if (found < 0) continue;
      if (found > at) pieces.push({ text: content.slice(at, found), time: null });
      const time = { startSeconds: chunk_audio_offset_sec + start, endSeconds: chunk_audio_offset_sec + end };
      pieces.push({ text, time });
      at = found + text.length;
    }
    if (at < content.length) pieces.push({ text: content.slice(at), time: null });
    return pieces;
  });
}

/** Which piece sounds at a place of the audio; -1 between words. */
export function pieceAt(pieces: readonly TimedText[], seconds: number): number {
  return pieces.findIndex(({ time }) => time !== null && time.startSeconds <= seconds && seconds < time.endSeconds);
}
