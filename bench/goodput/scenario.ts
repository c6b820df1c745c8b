import { type CapacitySearch, capacitySearch } from "../live-streams/capacity-search.js";

/** What a service that is asked for more than it can give still gives. */
export interface GoodputScenario {
  kind: "goodput";
  name: string;
  search: CapacitySearch;
  /** Loads, as multiples of the capacity that the run finds first. */
  multiples: readonly number[];
  /** Streams of one load are due at random times (Poisson) within this time. */
  loadMs: number;
  /** What is due before it only fills the service, and is not counted. */
  fillMs: number;
  workers: number;
}

export const goodput: GoodputScenario = {
  kind: "goodput",
  name: "goodput-half-to-four-times-capacity",
  search: capacitySearch,
  multiples: [0.5, 1, 2, 4],
  loadMs: 60_000,
  fillMs: 15_000,
  workers: 2,
};
