/** What the caller's program answered. */
export interface ClientAnswer {
  result: unknown;
  isError: boolean;
}

/** Calls of tools that the caller's program runs, each until it answers. Whoever calls waits as long as it wants to. */
export class ClientCalls {
  readonly #waiting = new Map<string, (answer: ClientAnswer) => void>();
  readonly #send: (call: ClientCall) => void;

  constructor(send: (call: ClientCall) => void) {
    this.#send = send;
  }

  /** Sends a call and gives the program's answer. */
  call(call: ClientCall): Promise<ClientAnswer> {
    return new Promise((resolve) => {
      this.#waiting.set(call.callId, resolve);
      this.#send(call);
    });
  }

  /** Takes an answer; one that nobody waits for is dropped. */
  answered(callId: string, answer: ClientAnswer): void {
    this.#waiting.get(callId)?.(answer);
    this.#waiting.delete(callId);
  }
}

export interface ClientCall {
  callId: string;
  toolName: string;
  params: Record<string, unknown>;
  expectsResponse: boolean;
}
