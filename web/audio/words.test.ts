import { expect, it } from "vitest";
import { pieceAt, timedText, withChunk } from "./words.js";

const first = {
  content: "Well, well: no.",
  alignment: {
    segments: [
      { text: "Well", start: 0, end: 0.4 },
      { text: "well", start: 0.5, end: 0.8 },
      { text: "no", start: 1, end: 1.5 },
    ],
    audio_duration: 1.6,
  },
  chunk_seq: 0,
  chunk_audio_offset_sec: 0,
};
const second = {
  content: "Yes",
  alignment: { segments: [{ text: "Yes", start: 0.1, end: 0.5 }], audio_duration: 0.6 },
  chunk_seq: 1,
  chunk_audio_offset_sec: 1.6,
};

it("sets words apart from what stands between them, and none of it is lost", () => {
  const pieces = timedText([first, second]);
  expect(pieces.map(({ text }) => text)).toEqual(["Well", ", ", "well", ": ", "no", ".", " ", "Yes"]);
  expect(pieces.at(-1)?.time).toEqual({ startSeconds: 1.7000000000000002, endSeconds: 2.1 });
});

it("finds the word that sounds, and none in a pause", () => {
  const pieces = timedText([first, second]);
  expect([0.2, 0.45, 0.6, 1.2, 1.9, 5].map((seconds) => pieceAt(pieces, seconds))).toEqual([0, -1, 2, 4, 7, -1]);
});

it("shows a chunk whose words are not known yet, and replaces what was known of one", () => {
  const early = { ...second, alignment: null };
  expect(timedText([early])).toEqual([{ text: "Yes", time: null }]);
  expect(withChunk(withChunk([early], first), second)).toEqual([first, second]);
});

it("passes over a word that the text does not have", () => {
  const odd = { ...second, alignment: { segments: [{ text: "five", start: 0, end: 1 }], audio_duration: 1 } };
  expect(timedText([odd])).toEqual([{ text: "Yes", time: null }]);
});
