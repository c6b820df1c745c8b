import { type CapacitySearch, capacitySearch } from "../live-streams/capacity-search.js";

/** What a team that asks for little gets beside one that asks for far too much. */
export interface FairnessScenario {
  kind: "fairness";
  name: string;
  search: CapacitySearch;
  /** What the two teams ask for, as parts of the capacity that the run finds first. */
  quietPart: number;
  floodPart: number;
  /** The quiet team alone and beside the other take turns this often. */
  rounds: number;
  /** Streams of one load are due at random times (Poisson) within this time. */
  loadMs: number;
  /** What is due before it only fills the service, and is not counted. */
  fillMs: number;
  workers: number;
}

export const fairness: FairnessScenario = {
  kind: "fairness",
  name: "fairness-one-team-floods",
  search: capacitySearch,
  quietPart: 0.1,
  floodPart: 4,
  rounds: 3,
  loadMs: 60_000,
  fillMs: 10_000,
  workers: 2,
};
