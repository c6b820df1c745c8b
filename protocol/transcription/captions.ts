import type { TranscriptSegment } from "./request.js";

/** Longer lines do not fit a screen beside a picture. */
const LINE_CHARACTERS = 42;

/** A SubRip file: numbered cues, as most players read it. */
export function renderSrt(segments: readonly TranscriptSegment[]): string {
  return segments
    .map(
      ({ text, start, end }, index) => `${index + 1}\n${clock(start, ",")} --> ${clock(end, ",")}\n${wrapped(text)}\n`,
    )
    .join("\n");
}

/** A WebVTT file (https://www.w3.org/TR/webvtt1/). */
export function renderVtt(segments: readonly TranscriptSegment[]): string {
  const cues = segments.map(
    ({ text, start, end }) => `\n${clock(start, ".")} --> ${clock(end, ".")}\n${escaped(wrapped(text))}\n`,
  );
  return `WEBVTT\n${cues.join("")}`;
}

/** `hh:mm:ss` and milliseconds. */
function clock(seconds: number, point: "," | "."): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${String(ms % 1000).padStart(3, "0")}`;
}

/** A blank line would end the cue: there is none between words. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_CHARACTERS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

/** Characters that WebVTT takes for markup; `-->` in a text would end it. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
