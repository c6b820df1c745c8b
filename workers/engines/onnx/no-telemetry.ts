/**
 * Keeps onnxruntime from telling Microsoft what runs here, and from an id of this machine in the home directory: since
 * 1.29 it does both unless it is told not to before the first graph is opened (microsoft/onnxruntime#27379). Call it on
 * the main thread: the library reads the environment of the process, of which other threads have copies.
 */
export function disableTelemetry(): void {
  process.env["ORT_DISABLE_TELEMETRY"] = "1";
}
