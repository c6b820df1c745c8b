import type { SearchBounds } from "./search.js";

/** How the capacity of a cluster is searched, with texts that are sent whole. */
export interface CapacitySearch extends SearchBounds {
  format: "pcm";
  sampleRate: number;
  /** Streams of one run start at random times (Poisson) within this time. */
  rampMs: number;
  seed: number;
}

/** The search that scenarios of load begin with. */
export const capacitySearch: CapacitySearch = {
  format: "pcm",
  sampleRate: 24_000,
  firstStreams: 80,
  mostStreams: 400,
  mostRuns: 5,
  rampMs: 4000,
  seed: 1,
};
