/** What a person needs once everything is ready; plain text. */
export function banner(options: {
  baseUrl: string;
  apiKey: string;
  readyMs: number;
  dataDirectory: string;
  processes: number;
}): string {
  const { baseUrl, apiKey } = options;
  return [
    "",
    `  Parley is ready (${options.processes} processes, ${(options.readyMs / 1000).toFixed(1)} s).`,
    "",
    `  Base URL   ${baseUrl}`,
    `  API key    ${apiKey}`,
    `  Docs       ${baseUrl}/docs`,
    `  Logs       ${options.dataDirectory}/logs`,
    "",
    "  First audio:",
    "",
    `  ${curlLine(baseUrl, apiKey)}`,
    "",
    "  Ctrl-C stops it: running streams finish first. A second Ctrl-C stops at once.",
    "",
  ].join("\n");
}

/** A shell line that makes `hello.mp3`. */
export function curlLine(baseUrl: string, apiKey: string): string {
  const body = JSON.stringify({ text: "Hello! Parley is speaking.", format: "mp3" });
  return `curl -sS --fail-with-body ${baseUrl}/v1/tts -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '${body}' -o hello.mp3`;
}
