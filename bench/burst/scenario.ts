/** What becomes of many long texts that come at once: which are begun, how soon, and how soon the rest is refused. */
export interface BurstScenario {
  kind: "burst";
  name: string;
  format: "pcm";
  sampleRate: number;
  /** Texts at once, over WebSockets and then over HTTP. */
  streams: number;
  rounds: number;
  workers: number;
}

export const burst: BurstScenario = {
  kind: "burst",
  name: "burst-200-texts",
  format: "pcm",
  sampleRate: 24_000,
  streams: 200,
  rounds: 5,
  workers: 2,
};
