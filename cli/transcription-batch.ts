import { mkdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { MAX_AUDIO_FILE_BYTES, type Transcript } from "#protocol/transcription/request";
import { renderSrt, renderVtt } from "#protocol/transcription/captions";
import { writeFileDurably } from "#common/files/durable-file";
import { CommandError, exitCodes } from "./command.js";

export const transcriptFormats = ["txt", "json", "srt", "vtt"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** One file and where its transcript goes. */
export interface TranscriptionJob {
  file: string;
  output: string;
}

/** What is known after each step of a batch. */
export interface BatchProgress {
  files: number;
  done: number;
  skipped: number;
  failed: number;
  /** Part of the bytes of all files that is over, 0 to 1. */
  part: number;
  audioSeconds: number;
}

export interface BatchOptions {
  jobs: readonly TranscriptionJob[];
  format: TranscriptFormat;
  concurrency: number;
  /** Do files again whose output is there. */
  overwrite: boolean;
  /** Gives the transcript of a file; throws a CommandError that says why there is none. */
  transcribe(audio: Uint8Array, file: string): Promise<Transcript>;
  onProgress(progress: BatchProgress): void;
  onFailure(file: string, reason: string): void;
}

/** Plans where transcripts go. Throws a CommandError (usage) when two would have one name. */
export function planBatch(files: readonly string[], directory: string, format: TranscriptFormat): TranscriptionJob[] {
  const jobs = files.map((file) => ({ file, output: join(directory, `${basename(file, extname(file))}.${format}`) }));
  const owner = new Map<string, string>();
  for (const { file, output } of jobs) {
    const other = owner.get(output);
    if (other !== undefined)
      throw new CommandError(`${other} and ${file} would both become ${output}`, exitCodes.usage);
    owner.set(output, file);
  }
  return jobs;
}

/** A transcript as a file of a format. */
export function renderTranscript(transcript: Transcript, format: TranscriptFormat): string {
  switch (format) {
    case "txt":
      return `${transcript.text}\n`;
    case "json":
      return `${JSON.stringify(transcript, null, 2)}\n`;
    case "srt":
      return renderSrt(transcript.segments);
    case "vtt":
      return renderVtt(transcript.segments);
  }
}

/**
 * Transcribes files, several at once. What is there already is skipped: outputs appear whole or not at all, so a batch
 * that was broken off goes on where it was. A file that fails does not end the others. Resolves with the last progress.
 */
export async function runBatch(options: BatchOptions): Promise<BatchProgress> {
  const { jobs, concurrency, onProgress } = options;
  const sizes = await Promise.all(jobs.map(({ file }) => sizeOf(file)));
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  let overBytes = 0;
  const progress: BatchProgress = { files: jobs.length, done: 0, skipped: 0, failed: 0, part: 0, audioSeconds: 0 };
  const waiting = jobs.map((job, index) => ({ ...job, bytes: sizes[index] ?? 0 }));
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const outcome = await runJob(job, job.bytes, options);
      progress[outcome.kind]++;
      progress.audioSeconds += outcome.audioSeconds;
      overBytes += job.bytes;
      progress.part = totalBytes === 0 ? 1 : overBytes / totalBytes;
      onProgress(progress);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
  return progress;
}

async function runJob(
  job: TranscriptionJob,
  bytes: number,
  options: BatchOptions,
): Promise<{ kind: "done" | "skipped" | "failed"; audioSeconds: number }> {
  const { file, output } = job;
  try {
    if (!options.overwrite && (await exists(output))) return { kind: "skipped", audioSeconds: 0 };
    if (bytes > MAX_AUDIO_FILE_BYTES) throw new CommandError(`it is larger than ${MAX_AUDIO_FILE_BYTES / 2 ** 20} MB`);
    const transcript = await options.transcribe(await readFile(file), file);
    await writeWhole(output, renderTranscript(transcript, options.format));
    return { kind: "done", audioSeconds: transcript.duration };
  } catch (error) {
    const isKnown = error instanceof CommandError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isKnown) throw error;
    options.onFailure(file, (error as Error).message);
    return { kind: "failed", audioSeconds: 0 };
  }
}

async function sizeOf(file: string): Promise<number> {
  return await stat(file).then(
    ({ size }) => size,
    () => 0,
  ); // what cannot be read fails in its turn
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** For the person's own use, under the permissions that the person's umask leaves. */
async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  writeFileDurably(path, text, { mode: 0o666, draft: join(dirname(path), `.${basename(path)}.part`) });
}
