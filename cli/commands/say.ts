import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { extname } from "node:path";
import { Readable, Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { text as readAll } from "node:stream/consumers";
import { type AudioFormat, audioFormats } from "#protocol/speech/request";
import { audioMeter, MP3_KILOBITS_PER_SECOND, PCM_SAMPLE_RATE } from "../audio-meter.js";
import { type Command, CommandError, exitCodes, type OptionValues, stringOf, type Terminal } from "../command.js";
import { findPlayer, type Player } from "../player.js";
import { refusal } from "../refusal.js";
import { findCluster, unreachable } from "../running-cluster.js";

export const sayCommand: Command = {
  name: "say",
  arguments: '"text" [-o FILE]',
  summary: "Speaks a text with the running cluster, into a file or a player.",
  details: [
    'The text is the argument, or standard input when it is "-".',
    "Without -o the audio goes to ffplay, mpv or aplay, whichever is there; with -o - to standard output.",
  ],
  options: {
    output: { type: "string", short: "o", value: "FILE", doc: "Where the audio goes; its ending chooses the format." },
    format: {
      type: "string",
      short: "f",
      value: "FORMAT",
      doc: `One of ${audioFormats.join(", ")}; mp3 when nothing else tells.`,
    },
    voice: { type: "string", short: "v", value: "ID", doc: "A saved voice (reference_id), or a speaker by name." },
    speed: { type: "string", short: "s", value: "FACTOR", doc: "Speaking rate, 0.5 to 2." },
    model: { type: "string", short: "m", value: "NAME", doc: "The model header, such as s2-pro." },
    url: { type: "string", value: "URL", doc: "Base URL; the cluster that runs here when absent." },
    key: { type: "string", value: "KEY", doc: "API key; PARLEY_API_KEY or the development key when absent." },
  },
  async run(terminal, positionals, values) {
    const text = await textToSpeak(terminal, positionals);
    const target = chooseTarget(values, terminal.environment.PATH);
    const startedMs = performance.now();
    const response = await requestSpeech(terminal, text, target.format, values);
    await receive(terminal, response, target, startedMs);
    return exitCodes.ok;
  },
};

interface Target {
  format: AudioFormat;
  /** A path, `-` for standard output, or null for the player. */
  file: string | null;
  player: Player | null;
}

async function textToSpeak(terminal: Terminal, positionals: string[]): Promise<string> {
  const [first, ...more] = positionals;
  if (more.length > 0) throw new CommandError("more than one text; put quotes around it", exitCodes.usage);
  if (first === undefined && terminal.stdin.isTTY !== false && terminal.stdin.isTTY !== undefined)
    throw new CommandError("nothing to say", exitCodes.usage);
  const text = first === undefined || first === "-" ? await readAll(terminal.stdin) : first;
  if (text.trim() === "") throw new CommandError("nothing to say", exitCodes.usage);
  return text;
}

function chooseTarget(values: OptionValues, path: string | undefined): Target {
  const file = stringOf(values.output) ?? null;
  const player = file === null ? findPlayer(path) : null;
  if (file === null && player === null)
    throw new CommandError("no player (ffplay, mpv, aplay) is installed; give -o FILE, or: apt-get install -y ffmpeg");
  const said = stringOf(values.format);
  const wanted = said ?? (file === null ? player?.format : extname(file).slice(1).replace("ogg", "opus"));
  const format = audioFormats.find((candidate) => candidate === wanted);
  if (said !== undefined && format === undefined)
    throw new CommandError(`there is no format "${said}"`, exitCodes.usage);
  return { format: format ?? "mp3", file, player };
}

async function requestSpeech(
  terminal: Terminal,
  text: string,
  format: AudioFormat,
  values: OptionValues,
): Promise<Response> {
  const cluster = findCluster(terminal.environment, { url: stringOf(values.url), key: stringOf(values.key) });
  if (cluster.apiKey === null)
    throw new CommandError("no API key: give --key, set PARLEY_API_KEY, or start Parley here once");
  const speed = stringOf(values.speed);
  const body = {
    text,
    format,
    ...(format === "mp3" ? { mp3_bitrate: MP3_KILOBITS_PER_SECOND } : {}),
    ...(format === "pcm" ? { sample_rate: PCM_SAMPLE_RATE } : {}),
    ...(values.voice === undefined ? {} : { reference_id: values.voice }),
    ...(speed === undefined ? {} : { prosody: { speed: factorOf(speed) } }),
  };
  const headers: Record<string, string> = {
    authorization: `Bearer ${cluster.apiKey}`,
    "content-type": "application/json",
  };
  const model = stringOf(values.model);
  if (model !== undefined) headers.model = model;
  let response: Response;
  try {
    response = await fetch(`${cluster.baseUrl}/v1/tts`, { method: "POST", headers, body: JSON.stringify(body) });
  } catch (cause) {
    throw unreachable(cluster.baseUrl, cause);
  }
  if (!response.ok) throw new CommandError(`the service refused (${response.status}): ${await refusal(response)}`);
  return response;
}

function factorOf(text: string): number {
  const factor = Number(text);
  if (!Number.isFinite(factor))
    throw new CommandError(`--speed is a number from 0.5 to 2, not "${text}"`, exitCodes.usage);
  return factor;
}

/** Passes the audio on while it comes, with progress on standard error. */
async function receive(terminal: Terminal, response: Response, target: Target, startedMs: number): Promise<void> {
  if (response.body === null) throw new CommandError("the service answered without a body");
  const meter = audioMeter(target.format);
  let firstAudioMs: number | null = null;
  let seconds = 0;
  const measure = new Transform({
    transform(chunk: Uint8Array, _, done) {
      firstAudioMs ??= performance.now() - startedMs;
      seconds = meter.feed(chunk);
      if (terminal.stderr.isTTY === true) terminal.stderr.write(`\r${progress(seconds, firstAudioMs)}`);
      done(null, chunk);
    },
  });
  const sink = openSink(terminal, target);
  try {
    await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), measure, sink.stream, {
      end: target.file !== "-",
    });
    await sink.finished();
  } catch (cause) {
    throw new CommandError(
      `the sound broke off after ${seconds.toFixed(1)} s: ${cause instanceof Error ? cause.message : String(cause)}`,
      exitCodes.failed,
      { cause },
    );
  }
  const end = terminal.stderr.isTTY === true ? "\r" : "";
  terminal.stderr.write(
    `${end}${progress(seconds, firstAudioMs ?? 0)}${target.file === null || target.file === "-" ? "" : ` → ${target.file}`}\n`,
  );
}

function progress(seconds: number, firstAudioMs: number): string {
  return `${seconds.toFixed(1)} s of audio, first after ${Math.round(firstAudioMs)} ms`;
}

function openSink(terminal: Terminal, target: Target): { stream: Writable; finished: () => Promise<void> } {
  if (target.player !== null) {
    const player = spawn(target.player.command, target.player.args, { stdio: ["pipe", "ignore", "inherit"] });
    const ended = once(player, "close");
    return {
      stream: player.stdin,
      finished: async () => {
        const [code] = (await ended) as [number | null];
        if (code !== 0) throw new CommandError(`${target.player?.command} ended with code ${code}`);
      },
    };
  }
  const stream = target.file === null || target.file === "-" ? terminal.stdout : createWriteStream(target.file);
  return { stream, finished: () => Promise.resolve() };
}
