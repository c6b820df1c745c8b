/** What a second process of a role brings. */
export interface ScaleOutScenario {
  kind: "scale-out";
  name: string;
  format: "pcm";
  sampleRate: number;
  /** Streams at once: few enough that one process of each role can serve them on this machine. */
  streams: number;
  /** They start at random times (Poisson) within this time. */
  rampMs: number;
  rounds: number;
  seed: number;
}

export const scaleOut: ScaleOutScenario = {
  kind: "scale-out",
  name: "scale-out-one-role-against-two",
  format: "pcm",
  sampleRate: 24_000,
  streams: 32,
  rampMs: 8000,
  rounds: 3,
  seed: 1,
};
