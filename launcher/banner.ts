import { LIVEKIT_VERSION } from "./livekit/build.js";
import type { GatewayState } from "./livekit/own-livekit.js";

/** What a person needs once everything is ready; plain text. */
export function banner(options: {
  baseUrl: string;
  apiKey: string;
  readyMs: number;
  dataDirectory: string;
  processes: number;
  gateway: GatewayState;
  /** An agent to talk to, by its name; null for none. */
  sample: string | null;
  /** Opens the console signed in, once; null where the console is off. */
  signInUrl: string | null;
}): string {
  const { baseUrl, apiKey, gateway, sample, signInUrl } = options;
  const canTalk = sample !== null && gateway.type !== "off" && gateway.type !== "missing";
  return [
    "",
    `  Parley is ready (${options.processes} processes, ${(options.readyMs / 1000).toFixed(1)} s).`,
    "",
    `  Base URL   ${baseUrl}`,
    `  API key    ${apiKey}`,
    ...(signInUrl === null ? [] : [`  Console    ${signInUrl}`, "             (signs in once, within 10 minutes)"]),
    `  Docs       ${baseUrl}/docs`,
    `  Logs       ${options.dataDirectory}/logs`,
    `  LiveKit    ${describeGateway(gateway)}`,
    "",
    "  First audio:",
    "",
    `  ${curlLine(baseUrl, apiKey)}`,
    "",
    ...(canTalk ? [`  First conversation:   bin/parley talk "${sample}"`, ""] : []),
    "  Ctrl-C stops it: running streams finish first. A second Ctrl-C stops at once.",
    "",
  ].join("\n");
}

/** Whether agents can talk, in words. */
export function describeGateway(gateway: GatewayState): string {
  switch (gateway.type) {
    case "off":
      return "none: agents cannot talk (PARLEY_LIVEKIT is off)";
    case "elsewhere":
    case "running":
      return gateway.url;
    case "starting":
      return "is starting";
    case "building":
      return `${LIVEKIT_VERSION} is built once, in the background; agents can talk in some minutes, and a line says when`;
    case "missing":
      return `none: agents cannot talk; ${gateway.reason}`;
  }
}

/** A shell line that makes `hello.mp3`. */
export function curlLine(baseUrl: string, apiKey: string): string {
  const body = JSON.stringify({ text: "Hello! Parley is speaking.", format: "mp3" });
  return `curl -sS --fail-with-body ${baseUrl}/v1/tts -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '${body}' -o hello.mp3`;
}
