import { OutboundError } from "./outbound-error.js";

/** The time that one request has, and its caller's wish to give up: whichever comes first. */
export interface Deadline {
  /** Fires when either has come, and at `end`. */
  readonly signal: AbortSignal;
  /** Settles as the work does, or rejects when either has come; the work is not waited for then. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Nothing is waited for any more. */
  end(): void;
}

/** Starts the time of a request. `race` rejects with `cancelled` or `timeout`. */
export function startDeadline(request: { timeoutMs: number; signal?: AbortSignal | undefined }): Deadline {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  const timer = setTimeout(cancel, request.timeoutMs);
  request.signal?.addEventListener("abort", cancel);
  if (request.signal?.aborted === true) cancel();
  const ended = new Promise<never>((_resolve, reject) => {
    const fail = (): void => {
      clearTimeout(timer);
      reject(new OutboundError(request.signal?.aborted === true ? "cancelled" : "timeout"));
    };
    controller.signal.addEventListener("abort", fail, { once: true });
    if (controller.signal.aborted) fail();
  });
  ended.catch(() => undefined);
  return {
    signal: controller.signal,
    race: (work) => Promise.race([work, ended]),
    end() {
      request.signal?.removeEventListener("abort", cancel);
      controller.abort();
    },
  };
}
