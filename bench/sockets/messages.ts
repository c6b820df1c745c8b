/** Where sockets are opened. */
export interface Target {
  url: string;
  headers: Record<string, string>;
}

/** What the process with the clients' side is asked to do. It answers with a `TalkReport`, of zeros where none speaks. */
export type ClientTask =
  | { kind: "open"; target: Target; sockets: number }
  | {
      kind: "talk";
      target: Target;
      sockets: number;
      /** Frames that each socket sends once, and those that it sends at each of its turns. */
      opening: Uint8Array[];
      turn: Uint8Array[];
      /** Turns of one socket are so far apart; those of all are spread evenly over that time. */
      everyMs: number;
      turns: number;
    }
  | { kind: "close" };

/** What came back. */
export interface TalkReport {
  receivedFrames: number;
  receivedBytes: number;
  /** Turns to which nothing came back until the socket's next. */
  silentTurns: number;
  /** Sockets that the other side closed. */
  brokenSockets: number;
}
