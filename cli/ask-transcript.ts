import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TimestampGranularity, Transcript } from "#protocol/transcription/request";
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

async function post(
  cluster: RunningCluster,
  { audio, file, language, segments }: TranscriptRequest,
): Promise<Response> {
  const form = new FormData();
  form.append("audio", new Blob([audio as Uint8Array<ArrayBuffer>]), basename(file));
  if (language !== undefined) form.append("language", language);
  if (segments !== null) form.append("timestamp_granularity", segments);
  const packed = new Request(cluster.baseUrl, { method: "POST", body: form });
  const headers = {
    authorization: `Bearer ${cluster.apiKey}`,
    "content-type": packed.headers.get("content-type") ?? "",
  };
  return await send(`${cluster.baseUrl}/v1/asr`, headers, Buffer.from(await packed.arrayBuffer()));
}

/** `fetch` gives up after five minutes without an answer; the transcript of a long file may take longer. */
function send(url: string, headers: Record<string, string>, body: Buffer): Promise<Response> {
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: { ...headers, "content-length": body.length } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const received = new Headers(
          Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
        );
        resolve(new Response(Buffer.concat(parts), { status: answer.statusCode ?? 502, headers: received }));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
