import { workInBackground } from "#common/threads/background";
import { type IndexedChunk, indexText } from "./index-text.js";

workInBackground();

/** Indexes a text, on a thread of its own. */
export default function index({ text }: { text: string }): IndexedChunk[] {
  return indexText(text);
}
