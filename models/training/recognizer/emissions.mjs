// Emissions in a file: for each utterance uint32 frames, uint32 symbols, then frames x symbols float32 log
// probabilities.
import { readFileSync } from "node:fs";

/** All utterances of the file, as the shipped search takes them. */
export function readEmissions(path) {
  const bytes = readFileSync(path);
  const utterances = [];
  for (let at = 0; at < bytes.length; ) {
    const frames = bytes.readUInt32LE(at);
    const symbols = bytes.readUInt32LE(at + 4);
    const size = 4 * frames * symbols;
    utterances.push({ frames, symbols, values: new Float32Array(Uint8Array.from(bytes.subarray(at + 8, at + 8 + size)).buffer) });
    at += 8 + size;
  }
  return utterances;
}
