import { setTimeout as delay } from "node:timers/promises";
import { basename } from "node:path";
import { Agent, fetch, FormData, type Response } from "undici";
import type { TimestampGranularity, Transcript } from "#protocol/listening/request";
import { CommandError } from "./command.js";
import { refusal } from "./refusal.js";
import { type RunningCluster, unreachable } from "./running-cluster.js";

export interface TranscriptRequest {
  audio: Uint8Array;
  file: string;
  language: string | undefined;
  /** What segments are wanted; null is none. */
  segments: TimestampGranularity | null;
}

/** A long file's transcript takes longer than the five minutes that `fetch` waits for an answer by itself. */
const patient = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/** A busy service, or one that is just being restarted, is asked again this often. */
const MAX_TRIES = 20;
const RECONNECT_MS = 1000;
const MAX_RECONNECTS = 5;

/** Asks the cluster for a transcript; waits where it says that it is busy. Throws CommandError. */
export async function askTranscript(cluster: RunningCluster, request: TranscriptRequest): Promise<Transcript> {
  let reconnects = 0;
  for (let tries = 1; ; tries++) {
    const response = await post(cluster, request).catch((cause: unknown) => unreachable(cluster.baseUrl, cause));
    if (response instanceof CommandError) {
      if (++reconnects > MAX_RECONNECTS) throw response;
      await delay(RECONNECT_MS);
    } else if (response.ok) {
      return (await response.json()) as Transcript;
    } else {
      const waitSeconds = Number(response.headers.get("retry-after") ?? Number.NaN);
      const why = await refusal(response);
      if (!(waitSeconds > 0) || tries >= MAX_TRIES) throw new CommandError(`refused (${response.status}): ${why}`);
      await delay(waitSeconds * 1000);
    }
  }
}

function post(cluster: RunningCluster, { audio, file, language, segments }: TranscriptRequest): Promise<Response> {
  const form = new FormData();
  form.append("audio", new Blob([audio as Uint8Array<ArrayBuffer>]), basename(file));
  if (language !== undefined) form.append("language", language);
  if (segments !== null) form.append("timestamp_granularity", segments);
  const headers = { authorization: `Bearer ${cluster.apiKey}` };
  return fetch(`${cluster.baseUrl}/v1/asr`, { method: "POST", headers, body: form, dispatcher: patient });
}
