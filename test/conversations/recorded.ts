import type { RecordingEntity } from "#protocol/agents/recording";
import type { RecordingRole } from "#protocol/bus/recording";
import { EnergyGate } from "#agents/turn/energy-gate";
import type { TestCluster } from "../harness/cluster.js";
import { decodeWithFfmpeg } from "../harness/audio.js";
import { until } from "../harness/processes.js";
import { call } from "./open-talk.js";

const RATE = 16_000;
const FRAME = RATE / 100;

/** A recording that was downloaded. */
export interface Recorded {
  entity: RecordingEntity;
  urls: Record<RecordingRole, string>;
  /** At 16 kHz. */
  samples: Record<RecordingRole, Int16Array>;
}

/** Downloads both tracks of a session that is over, once they are complete. ffmpeg decodes them without a complaint. */
export async function recordedOf(cluster: TestCluster, sessionId: string): Promise<Recorded> {
  const path = `/v1/agent/sessions/${sessionId}/recording`;
  const read = (): Promise<RecordingEntity> => call<RecordingEntity>(cluster, "GET", path);
  let entity = await read();
  await until(
    async () => {
      entity = await read();
      return entity.status !== "processing";
    },
    { withinMs: 60_000, what: "the recording" },
  );
  const urlOf = (wanted: string): string => entity.tracks.find(({ role }) => role === wanted)?.url ?? "";
  const urls = { agent: urlOf("agent"), user: urlOf("user") };
  const download = async (url: string): Promise<Int16Array> => {
    const answer = await fetch(url);
    if (answer.status !== 200) throw new Error(`${url} was answered with ${answer.status}`);
    const { samples } = await decodeWithFfmpeg(new Uint8Array(await answer.arrayBuffer()), { sampleRate: RATE });
    return samples;
  };
  return { entity, urls, samples: { agent: await download(urls.agent), user: await download(urls.user) } };
}

/** Root mean square of each 10 ms, 1 is full scale. */
export function loudnessOf(samples: Int16Array): number[] {
  return Array.from({ length: Math.floor(samples.length / FRAME) }, (_, frame) => {
    const part = samples.subarray(frame * FRAME, (frame + 1) * FRAME);
    return Math.sqrt(part.reduce((sum, sample) => sum + (sample / 32768) ** 2, 0) / FRAME);
  });
}

/**
 * How long after the caller's last words each of the agent's replies began, by the recording, milliseconds: where words
 * fade away detectors differ, so this is from the last sample that is no silence, and from the last frame that is
 * speech by its energy. A reply is what follows half a second of the agent's silence.
 */
export function replyGapsOf({ samples }: Recorded): { leastMs: number; mostMs: number }[] {
  const framesOf = (track: Int16Array): Int16Array[] =>
    Array.from({ length: Math.floor(track.length / FRAME) }, (_, frame) =>
      track.subarray(frame * FRAME, (frame + 1) * FRAME),
    );
  const reaches = (frame: Int16Array, peak: number): boolean => frame.some((sample) => Math.abs(sample) >= peak);
  const gate = new EnergyGate();
  const user = framesOf(samples.user);
  const [isSpeech, isNoise] = [user.map((frame) => gate.next(frame).isSpeech), user.map((frame) => reaches(frame, 10))];
  // As loud as what the runtime calls audible.
  const agent = framesOf(samples.agent).map((frame) => reaches(frame, 64));
  return agent.flatMap((isAudible, frame) => {
    if (!isAudible || agent.slice(Math.max(0, frame - 50), frame).includes(true)) return [];
    const [speech, noise] = [isSpeech.lastIndexOf(true, frame), isNoise.lastIndexOf(true, frame)];
    return speech === -1 ? [] : [{ leastMs: (frame - noise) * 10, mostMs: (frame - speech) * 10 }];
  });
}
