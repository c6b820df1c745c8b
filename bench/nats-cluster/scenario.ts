/** What three NATS servers with replicated JetStream cost in latency, and what the death of one changes. */
export interface NatsClusterScenario {
  kind: "nats-cluster";
  name: string;
  format: "pcm";
  sampleRate: number;
  socket: "warm";
  text: string;
  /** One server and three take turns this often. */
  rounds: number;
  /** Clauses of each in one round. */
  perRound: number;
  /** Streams that are being spoken while a server is killed, and the time between two of their beginnings. */
  streams: number;
  everyMs: number;
  workers: number;
}

export const natsCluster: NatsClusterScenario = {
  kind: "nats-cluster",
  name: "nats-cluster-of-three",
  format: "pcm",
  sampleRate: 24_000,
  socket: "warm",
  text: "Good morning, friend",
  rounds: 5,
  perRound: 40,
  streams: 50,
  everyMs: 100,
  workers: 2,
};
