/** A room for one conversation. */
export interface NewRoom {
  name: string;
  /** How long it stays while nobody is in it. */
  emptyMs: number;
}

/** A token that lets one participant into one room. */
export interface NewToken {
  room: string;
  identity: string;
  /** Until when its bearer may join. */
  validMs: number;
}

/** Where conversations are held. */
export interface RoomServer {
  /** What callers are told. */
  readonly publicUrl: string;
  /** Makes a room. Throws `agent_gateway_unreachable`. */
  create(room: NewRoom): Promise<void>;
  /**
   * Signs a caller's token: it may join that room, listen, publish a microphone and send data, and nothing else.
   */
  sign(token: NewToken): Promise<string>;
  /** Ends a room for everybody in it; one that is gone is none. Throws `agent_gateway_unreachable`. */
  delete(name: string): Promise<void>;
}
