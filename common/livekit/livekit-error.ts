import { ServerError } from "livekit-server-sdk";

/** Thrown when the server cannot be reached, or answers an error; `status` is its HTTP status, null without an answer. */
export class LiveKitError extends Error {
  override readonly name = "LiveKitError";
  constructor(
    readonly operation: string,
    readonly status: number | null,
    cause: unknown,
  ) {
    super(`LiveKit: ${operation} failed (${status ?? "no answer"})`, { cause });
  }
}

/** Calls the server. Rejects with LiveKitError. */
export async function askLiveKit<T>(operation: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new LiveKitError(operation, error instanceof ServerError ? error.status : null, error);
  }
}

/** As `askLiveKit`; where the server has no such thing it gives `missing`. */
export async function unlessMissing<T>(operation: string, missing: T, call: () => Promise<T>): Promise<T> {
  try {
    return await askLiveKit(operation, call);
  } catch (error) {
    if (error instanceof LiveKitError && error.status === 404) return missing;
    throw error;
  }
}
