import { RECORDING_FRAME_MS, type RecordingRole, recordingRoles, type RecordingSegment } from "#protocol/bus/recording";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { createOpusFile, type OpusFile } from "#audio/encoding/opus-file";

/** No conversation lasts longer, with everything around it; a segment that says so is wrong. */
const MOST_FRAMES = (3 * 3_600_000) / RECORDING_FRAME_MS;

/** Of the file of each track; players that read both at once tell them apart. */
const serialNumbers: Record<RecordingRole, number> = { agent: 1, user: 2 };

/** Gives the segment of a runtime, counted from 0; null behind the last one. */
export type ReadSegment = (attempt: number, index: number) => Promise<RecordingSegment | null>;

/**
 * Joins the segments of all runtimes of a conversation, counted from 1, to one file for each track; what is missing
 * between them is silence, and where two runtimes recorded the same time the later one is believed. Gives how many
 * frames both tracks have; 0 where there is no segment, and then nothing was written. Rejects as `read` and `write` do.
 */
export async function joinSegments(
  attempts: number,
  read: ReadSegment,
  write: (role: RecordingRole, pages: Uint8Array[]) => Promise<void>,
): Promise<number> {
  const files = Object.fromEntries(
    recordingRoles.map((role) => [
      role,
      createOpusFile({ originalSampleRate: RECOGNITION_RATE, serialNumber: serialNumbers[role] }),
    ]),
  ) as Record<RecordingRole, OpusFile>;
  let frames = 0;
  for await (const segment of segmentsInOrder(attempts, read)) {
    const { startFrame, packets } = segment;
    const skipped = Math.max(0, frames - startFrame);
    const added = Math.min(...recordingRoles.map((role) => packets[role].length)) - skipped;
    if (added <= 0) continue;
    for (const role of recordingRoles) {
      const pages = files[role].addSilence(Math.max(0, startFrame - frames));
      for (const packet of packets[role].slice(skipped, skipped + added)) pages.push(...files[role].add(packet));
      await write(role, pages);
    }
    frames = startFrame + skipped + added;
  }
  if (frames > 0) for (const role of recordingRoles) await write(role, files[role].finish());
  return frames;
}

async function* segmentsInOrder(attempts: number, read: ReadSegment): AsyncGenerator<RecordingSegment> {
  const begun: { attempt: number; startFrame: number }[] = [];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const first = await read(attempt, 0);
    if (first !== null) begun.push({ attempt, startFrame: first.startFrame });
  }
  for (const [position, { attempt }] of begun.entries()) {
    const untilFrame = Math.min(MOST_FRAMES, ...begun.slice(position + 1).map(({ startFrame }) => startFrame));
    for (let index = 0; ; index++) {
      const segment = await read(attempt, index);
      if (segment === null) break;
      const most = untilFrame - segment.startFrame;
      if (most > 0) yield cutTo(segment, most);
    }
  }
}

function cutTo({ startFrame, packets }: RecordingSegment, frames: number): RecordingSegment {
  return { startFrame, packets: { agent: packets.agent.slice(0, frames), user: packets.user.slice(0, frames) } };
}
