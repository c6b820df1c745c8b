/** How a cluster of thousands of machines would do, by the product's own decisions in virtual time. */
export interface SimulatedLoadScenario {
  kind: "simulated-load";
  name: string;
  seed: number;
  /** The large cluster: all of its streams come within `arrivalSeconds`. */
  workers: number;
  streams: number;
  arrivalSeconds: number;
  /** A part of it, at each of these multiples of what it can speak. */
  partWorkers: number;
  multiples: readonly number[];
  partArrivalSeconds: number;
  /** What comes before only fills the part, and is not counted. */
  fillSeconds: number;
  /** Share of all workers that dies in a minute; each comes back after `restartMs`. */
  deathsPerMinute: number;
  restartMs: number;
  /** What a chunk takes a worker, as measured: a fixed part, and a part of its length. */
  engineBaseMs: number;
  realTimeFactor: number;
}

export const simulatedLoad: SimulatedLoadScenario = {
  kind: "simulated-load",
  name: "simulation-million-streams",
  seed: 1,
  workers: 10_000,
  streams: 1_000_000,
  arrivalSeconds: 67,
  partWorkers: 200,
  multiples: [0.5, 1, 1.5, 2, 4],
  partArrivalSeconds: 90,
  fillSeconds: 35,
  deathsPerMinute: 0.01,
  restartMs: 10_000,
  engineBaseMs: 5,
  realTimeFactor: 0.0095,
};
