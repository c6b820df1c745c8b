import type { Clock } from "#common/clock";

/** What the caller's program answered. */
export interface ClientAnswer {
  result: unknown;
  isError: boolean;
}

/** Calls of tools that the caller's program runs, each until it answers. */
export class ClientCalls {
  readonly #waiting = new Map<string, (answer: ClientAnswer) => void>();
  readonly #send: (event: object) => void;
  readonly #clock: Clock;

  constructor(options: { send: (event: object) => void; clock: Clock }) {
    this.#send = options.send;
    this.#clock = options.clock;
  }

  /**
   * Calls a tool. Without an answer within `timeoutMs`, or once `signal` fires, the answer is an error; a program that
   * is to send none has answered at once.
   */
  call(
    call: { callId: string; toolName: string; params: Record<string, unknown>; expectsResponse: boolean },
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<ClientAnswer> {
    this.#send({ type: "client_tool.call", ...call });
    if (!call.expectsResponse) return Promise.resolve({ result: null, isError: false });
    return new Promise((resolve) => {
      const settle = (answer: ClientAnswer): void => {
        this.#waiting.delete(call.callId);
        cancelTimeout();
        options.signal.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      const onAbort = (): void => settle({ result: "The call was cancelled", isError: true });
      const cancelTimeout = this.#clock.after(options.timeoutMs, () =>
        settle({ result: `No answer within ${Math.round(options.timeoutMs / 1000)} s`, isError: true }),
      );
      this.#waiting.set(call.callId, settle);
      options.signal.addEventListener("abort", onAbort, { once: true });
      if (options.signal.aborted) onAbort();
    });
  }

  /** Takes an answer; one that nobody waits for is dropped. */
  answered(callId: string, answer: ClientAnswer): void {
    this.#waiting.get(callId)?.(answer);
  }
}
