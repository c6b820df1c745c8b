import { readFile } from "node:fs/promises";
import { askTranscript } from "../ask-transcript.js";
import { type Command, CommandError, exitCodes, type OptionValues, stringOf, type Terminal } from "../command.js";
import { progressBar } from "../progress-bar.js";
import { findCluster } from "../running-cluster.js";
import {
  type BatchProgress,
  planBatch,
  renderTranscript,
  runBatch,
  type TranscriptFormat,
  transcriptFormats,
} from "../transcription-batch.js";

export const transcribeCommand: Command = {
  name: "transcribe",
  arguments: "FILES… [--format FORMAT] [--output DIR]",
  summary: "Turns audio files into text with the running cluster.",
  details: [
    "One file without --output is written to standard output. With it, each file's transcript is DIR/name.format;",
    "transcripts that are there already are skipped, so a batch that was broken off goes on where it was.",
    "The exit code is 1 if any file failed.",
  ],
  options: {
    format: {
      type: "string",
      short: "f",
      value: "FORMAT",
      doc: `One of ${transcriptFormats.join(", ")}; txt when absent.`,
    },
    output: { type: "string", short: "o", value: "DIR", doc: "Where the transcripts go; made when it is not there." },
    language: { type: "string", short: "l", value: "CODE", doc: "Language that is spoken, such as en." },
    words: { type: "boolean", doc: "A segment for each word instead of each phrase." },
    concurrency: { type: "string", short: "c", value: "N", doc: "Files at once; 8 when absent." },
    overwrite: { type: "boolean", doc: "Do files again whose transcript is there." },
    url: { type: "string", value: "URL", doc: "Base URL; the cluster that runs here when absent." },
    key: { type: "string", value: "KEY", doc: "API key; PARLEY_API_KEY or the development key when absent." },
  },
  async run(terminal, files, values) {
    if (files.length === 0) throw new CommandError("no files", exitCodes.usage);
    const [format, directory] = [formatOf(values), stringOf(values.output)];
    const cluster = findCluster(terminal.environment, { url: stringOf(values.url), key: stringOf(values.key) });
    if (cluster.apiKey === null)
      throw new CommandError("no API key: give --key, set PARLEY_API_KEY, or start Parley here once");
    const transcribe = (audio: Uint8Array, file: string) =>
      askTranscript(cluster, {
        audio,
        file,
        language: stringOf(values.language),
        segments: segmentsFor(format, values),
      });
    if (directory !== undefined) return await transcribeAll(terminal, { files, directory, format, values, transcribe });
    const [file, ...more] = files;
    if (file === undefined || more.length > 0)
      throw new CommandError("several files: say with --output DIR where their transcripts go", exitCodes.usage);
    terminal.stdout.write(renderTranscript(await transcribe(await readAudio(file), file), format));
    return exitCodes.ok;
  },
};

type Transcribe = (audio: Uint8Array, file: string) => ReturnType<typeof askTranscript>;

async function transcribeAll(
  terminal: Terminal,
  {
    files,
    directory,
    format,
    values,
    transcribe,
  }: { files: string[]; directory: string; format: TranscriptFormat; values: OptionValues; transcribe: Transcribe },
): Promise<number> {
  const startedMs = performance.now();
  const isTerminal = terminal.stderr.isTTY === true;
  const line = (progress: BatchProgress): string => progressLine(progress, (performance.now() - startedMs) / 1000);
  const result = await runBatch({
    jobs: planBatch(files, directory, format),
    format,
    concurrency: concurrencyOf(values),
    overwrite: values.overwrite === true,
    transcribe,
    onProgress: (progress) => void (isTerminal && terminal.stderr.write(`\r${line(progress)}`)),
    onFailure: (file, reason) => void terminal.stderr.write(`${isTerminal ? "\r\u001b[K" : ""}${file}: ${reason}\n`),
  });
  terminal.stderr.write(`${isTerminal ? "\r" : ""}${line(result)}\n`);
  return result.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

/** How far a batch is: a bar by size, files, and how much faster than playing it goes. */
export function progressLine(
  { files, done, skipped, failed, part, audioSeconds }: BatchProgress,
  seconds: number,
): string {
  const counts = [
    `${done + skipped + failed}/${files} files`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  const speed = seconds > 0 ? audioSeconds / seconds : 0;
  return `${progressBar(part)} ${counts.join(", ")}, ${audioSeconds.toFixed(0)} s of audio, ${speed.toFixed(1)} s per second`;
}

async function readAudio(file: string): Promise<Uint8Array> {
  return await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(cause.message, exitCodes.failed, { cause });
  });
}

/** Captions are phrases unless words are asked for; plain text needs none. */
function segmentsFor(format: TranscriptFormat, values: OptionValues): "segment" | "word" | null {
  if (format === "txt") return null;
  return values.words === true ? "word" : "segment";
}

function formatOf(values: OptionValues): TranscriptFormat {
  const said = stringOf(values.format) ?? "txt";
  const format = transcriptFormats.find((candidate) => candidate === said);
  if (format === undefined)
    throw new CommandError(`there is no format "${said}"; there are ${transcriptFormats.join(", ")}`, exitCodes.usage);
  return format;
}

function concurrencyOf(values: OptionValues): number {
  const said = stringOf(values.concurrency) ?? "8";
  const count = Number(said);
  if (!Number.isInteger(count) || count < 1 || count > 256)
    throw new CommandError(`--concurrency is a number from 1 to 256, not "${said}"`, exitCodes.usage);
  return count;
}
