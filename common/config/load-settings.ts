import { integer } from "./setting.js";

/** What is taken and what is refused under load; part of the one declaration in `common/config/config.ts`. */
export const loadSettings = {
  PARLEY_FIRST_AUDIO_GOAL_MS: integer({
    default: 200,
    min: 1,
    max: 60_000,
    doc: "Goal for the first audio of a live stream: its first chunk's deadline.",
  }),
  PARLEY_QUEUE_CHUNKS: integer({
    default: 4096,
    min: 1,
    max: 1_000_000,
    doc: "Chunks that may wait in one scheduler; past it new streams are refused.",
  }),
  PARLEY_ADMISSION_WAIT_MS: integer({
    default: 3000,
    min: 1,
    max: 600_000,
    doc: "A new stream whose first chunk would wait longer than this is refused with Retry-After; so is any while running streams are late by a sixth of it.",
  }),
  PARLEY_LIVE_WAIT_MS: integer({
    default: 500,
    min: 1,
    max: 600_000,
    doc: "The same for a new stream whose listener waits for it: over a WebSocket, unless it asks for `latency: normal`, and over HTTP where it asks for `latency: low`; never more than PARLEY_ADMISSION_WAIT_MS.",
  }),
  PARLEY_STREAMS_PER_TEAM: integer({
    default: 0,
    min: 0,
    max: 1_000_000,
    doc: "Streams that one team may have at once on one edge; 0 is no limit.",
  }),
};
