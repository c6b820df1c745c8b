import type { ServiceAccess } from "./cluster.js";

export interface SpeechOptions {
  model?: string;
  /** `/v1/tts` when absent. */
  path?: string;
  signal?: AbortSignal;
}

/** Posts a speech request as JSON with the cluster's key. */
export function postSpeech(
  cluster: ServiceAccess,
  body: Record<string, unknown>,
  options: SpeechOptions = {},
): Promise<Response> {
  return fetch(`${cluster.baseUrl}${options.path ?? "/v1/tts"}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${cluster.apiKey}`,
      "Content-Type": "application/json",
      ...(options.model === undefined ? {} : { model: options.model }),
    },
    body: JSON.stringify(body),
    signal: options.signal ?? null,
  });
}

/** The whole audio of a request that must succeed. */
export async function speech(
  cluster: ServiceAccess,
  body: Record<string, unknown>,
  options: SpeechOptions = {},
): Promise<Uint8Array> {
  const response = await postSpeech(cluster, body, options);
  if (response.status !== 200) throw new Error(`speech was refused with ${response.status}: ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** How often `speechWhenAdmitted` asks. */
const MOST_TRIES = 40;

/** The same for a client that comes again after a refusal, when `Retry-After` says: for tests that are not about load. */
export async function speechWhenAdmitted(cluster: ServiceAccess, body: Record<string, unknown>): Promise<Uint8Array> {
  for (let tries = 1; ; tries++) {
    const response = await postSpeech(cluster, body);
    if (response.status === 200) return new Uint8Array(await response.arrayBuffer());
    const answer = await response.text();
    if (response.status !== 503 || tries === MOST_TRIES)
      throw new Error(`speech was refused with ${response.status}: ${answer}`);
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("retry-after") ?? 1) * 1000));
  }
}

/** The s16le samples of a `pcm` request at 24 kHz. */
export async function speechSamples(
  cluster: ServiceAccess,
  body: Record<string, unknown>,
  options: SpeechOptions = {},
): Promise<Int16Array> {
  const bytes = await speech(cluster, { ...body, format: "pcm", sample_rate: 24_000 }, options);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
}
