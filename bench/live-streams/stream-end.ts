import { errorCatalogue } from "#protocol/errors";

/** How a stream ended, seen by its client. */
export type StreamEnd = "spoken" | "refused" | "failed";

/** Tells a refusal, which comes before any audio and says that the service is full, from a failure. */
export function streamEnd(problem: string | null, receivedBytes: number): StreamEnd {
  if (problem === null) return "spoken";
  return problem === errorCatalogue.overloaded.message && receivedBytes === 0 ? "refused" : "failed";
}
