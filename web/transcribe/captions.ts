import type { TranscriptSegment } from "#protocol/transcription/request";

/** What stands between pauses of this length is a caption, unless it would be too long. */
const PAUSE_SECONDS = 0.6;
const LONGEST_SECONDS = 8;

/** Words, in captions that can be read while they sound. */
export function captionsOf(words: readonly TranscriptSegment[]): TranscriptSegment[] {
  const captions: TranscriptSegment[] = [];
  for (const { text, start, end } of words) {
    const last = captions.at(-1);
    if (last === undefined || start - last.end >= PAUSE_SECONDS || end - last.start > LONGEST_SECONDS)
      captions.push({ text, start, end });
    else captions[captions.length - 1] = { text: `${last.text} ${text}`, start: last.start, end };
  }
  return captions;
}
