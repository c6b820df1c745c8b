/** A cluster and a load, as numbers. */
export interface Scenario {
  name: string;
  seed: number;
  schedulers: number;
  workers: number;
  slotsPerWorker: number;
  edges: number;
  streams: number;
  /** Streams start at random (Poisson) at a mean rate that spreads them over this time. */
  arrivalSeconds: number;
  /** Parts of all streams; the rest is live. */
  freeFraction: number;
  bulkFraction: number;
  /** Mean chunks of a stream, the first included. */
  meanChunks: number;
  /** Engine time of a chunk: a fixed part, and a part of the time that the chunk sounds. */
  engineBaseMs: number;
  realTimeFactor: number;
  /** Workers killed at random moments; each comes back after `workerRestartMs` with a new epoch. */
  workerKills: number;
  workerRestartMs: number;
  /**
   * Chunks that may wait in one scheduler, and the longest predicted wait of a new stream (`PARLEY_QUEUE_CHUNKS`,
   * `PARLEY_ADMISSION_WAIT_MS`).
   */
  queueChunks: number;
  admissionWaitMs: number;
  /** The same for a stream that somebody waits for, `PARLEY_LIVE_WAIT_MS`; null is the wait of the others. */
  liveWaitMs: number | null;
  /** A caller who is refused comes again this often. */
  patience: number;
  /** When one scheduler dies for good; null is never. */
  schedulerKillAtMs: number | null;
}

/** 2,000 workers at about 70 % load, 20,000 streams, 40 workers and one of four schedulers killed. */
export const cityAtEvening: Scenario = {
  name: "city at evening",
  seed: 1,
  schedulers: 4,
  workers: 2000,
  slotsPerWorker: 1,
  edges: 20,
  streams: 20_000,
  arrivalSeconds: 30,
  freeFraction: 0.1,
  bulkFraction: 0.1,
  meanChunks: 8,
  engineBaseMs: 20,
  realTimeFactor: 0.06,
  workerKills: 40,
  workerRestartMs: 2000,
  queueChunks: 32_768,
  admissionWaitMs: 3000,
  liveWaitMs: null,
  patience: 2,
  schedulerKillAtMs: 15_000,
};

/** The same cluster, with players for twice the audio that it can make: what is shed, and who keeps being served. */
export const twiceTooMany: Scenario = {
  ...cityAtEvening,
  name: "twice too many",
  arrivalSeconds: 20,
  realTimeFactor: 0.2,
  freeFraction: 0.3,
  bulkFraction: 0.3,
  workerKills: 0,
  schedulerKillAtMs: null,
};

/** The second scenario at a fiftieth, for the tests. */
export const crowdedVillage: Scenario = {
  ...twiceTooMany,
  name: "crowded village",
  schedulers: 2,
  workers: 40,
  edges: 3,
  streams: 400,
};

/** The first scenario at a fiftieth, for the tests. */
export const village: Scenario = {
  ...cityAtEvening,
  name: "village",
  schedulers: 2,
  workers: 40,
  edges: 3,
  streams: 400,
  workerKills: 4,
};
