/** What open WebSockets cost the edge, those that rest and those that speak, beside a server that only echoes. */
export interface SocketsScenario {
  kind: "sockets";
  name: string;
  /** Open before, and not counted. */
  warmUpSockets: number;
  idleSockets: number;
  activeSockets: number;
  /** What each active socket has spoken, over and over. */
  text: string;
  sampleRate: number;
  everyMs: number;
  turns: number;
  rounds: number;
  workers: number;
}

export const sockets: SocketsScenario = {
  kind: "sockets",
  name: "sockets-5000-idle-500-active",
  warmUpSockets: 200,
  idleSockets: 5000,
  activeSockets: 500,
  text: "Good morning, friends.",
  sampleRate: 24_000,
  everyMs: 20_000,
  turns: 3,
  rounds: 3,
  workers: 2,
};
