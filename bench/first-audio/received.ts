import { setTimeout as delay } from "node:timers/promises";
import type { TestCluster } from "#test/harness/cluster";
import { MP3_KILOBITS_PER_SECOND, type Onset } from "../audible.js";
import { openStream } from "../live-socket.js";
import type { FirstAudioScenario } from "../scenarios.js";

/** What is spoken, and how. */
export type Clause = Pick<FirstAudioScenario, "format" | "sampleRate" | "socket" | "text">;

/** Both sides rest this long before each measurement, so that neither finds the other's caches warmer. */
export const REST_MS = 40;

function requestOf({ format, sampleRate }: Clause): Record<string, unknown> {
  return { format, sample_rate: sampleRate, ...(format === "mp3" ? { mp3_bitrate: MP3_KILOBITS_PER_SECOND } : {}) };
}

/** From the text's sending (warm) or the connection's first packet (cold) to the first audible sample. */
export async function receivedAfterMs(cluster: TestCluster, clause: Clause, onset: Onset): Promise<number> {
  const connectMs = performance.now();
  const stream = await openStream({ ...cluster, request: requestOf(clause) }, 0);
  if (clause.socket === "warm") await delay(REST_MS);
  const startMs = clause.socket === "warm" ? performance.now() : connectMs;
  stream.send(clause.text);
  stream.flush();
  const { atMs } = await stream.received(onset.neededBytes);
  stream.stop();
  const problem = await stream.over;
  if (problem !== null) throw new Error(problem);
  return atMs - startMs;
}

/** All of the clause's audio, encoded. Throws when the stream does not end as it should. */
export async function receivedWhole(cluster: TestCluster, clause: Clause): Promise<Uint8Array> {
  const stream = await openStream({ ...cluster, request: requestOf(clause) }, Number.POSITIVE_INFINITY);
  stream.send(clause.text);
  stream.stop();
  const problem = await stream.over;
  if (problem !== null) throw new Error(problem);
  return stream.audio();
}
