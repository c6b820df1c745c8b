import type { Logger } from "../log.js";
import { noTracing, type Tracing } from "./span.js";

/** Gives a role its tracing. Without an endpoint nothing is loaded: OpenTelemetry then costs neither time nor memory. */
export async function openTracing(options: { endpoint: string | null; role: string; id: string; log: Logger }): Promise<Tracing> {
  if (options.endpoint === null) return noTracing;
  const { startOtlp } = await import("./otlp.js");
  return startOtlp({ ...options, endpoint: options.endpoint });
}
