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

/** The s16le samples of a `pcm` request at 24 kHz. */
export async function speechSamples(
  cluster: ServiceAccess,
  body: Record<string, unknown>,
  options: SpeechOptions = {},
): Promise<Int16Array> {
  const bytes = await speech(cluster, { ...body, format: "pcm", sample_rate: 24_000 }, options);
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
}
