import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { findProgram } from "#launcher/find-program";

/** Rate of the agent's audio, Hz. */
export const AGENT_RATE = 24_000;

/** A program with its arguments: mono samples of 16 bits, least significant byte first, on standard output or input. */
export interface AudioProgram {
  command: string;
  args: readonly string[];
}

/** Records the microphone at `RECOGNITION_RATE`, and plays at `AGENT_RATE`. */
export interface AudioPrograms {
  microphone: AudioProgram;
  loudspeaker: AudioProgram;
}

const raw = (rate: number): string[] => ["-t", "raw", "-r", String(rate), "-c", "1"];
const ofSox = (rate: number): string[] => ["-q", ...raw(rate), "-b", "16", "-e", "signed-integer", "-L", "-"];

/** What ffmpeg takes the default microphone for. */
const ffmpegInput: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["-f", "alsa", "-i", "default"],
  darwin: ["-f", "avfoundation", "-i", ":default"],
};

const candidates = (platform: NodeJS.Platform): AudioPrograms[] => {
  const input = ffmpegInput[platform];
  const ffmpeg: AudioPrograms[] = input === undefined ? [] : [ffmpegPrograms(input)];
  return [
    {
      microphone: { command: "arecord", args: ["-q", "-f", "S16_LE", ...raw(RECOGNITION_RATE)] },
      loudspeaker: { command: "aplay", args: ["-q", "-f", "S16_LE", ...raw(AGENT_RATE), "--buffer-time=200000"] },
    },
    {
      microphone: { command: "rec", args: ofSox(RECOGNITION_RATE) },
      loudspeaker: { command: "play", args: ofSox(AGENT_RATE) },
    },
    ...ffmpeg,
  ];
};

function ffmpegPrograms(input: readonly string[]): AudioPrograms {
  const toStandardOutput = ["-f", "s16le", "-ar", String(RECOGNITION_RATE), "-ac", "1", "pipe:1"];
  const atOnce = ["-fflags", "nobuffer", "-flags", "low_delay", "-probesize", "32", "-analyzeduration", "0"];
  return {
    microphone: { command: "ffmpeg", args: ["-loglevel", "error", "-nostdin", ...input, ...toStandardOutput] },
    // Raw samples are mono where nothing is said: the option that says so has another name in each release.
    loudspeaker: {
      command: "ffplay",
      args: ["-loglevel", "error", "-nodisp", ...atOnce, "-f", "s16le", "-ar", String(AGENT_RATE), "-i", "pipe:0"],
    },
  };
}

/**
 * The first pair of programs that this machine has both of, by their full paths; null where it has none. `path` is the
 * PATH variable.
 */
export function findAudioPrograms(path: string | undefined, platform: NodeJS.Platform): AudioPrograms | null {
  for (const { microphone, loudspeaker } of candidates(platform)) {
    const commands = [microphone, loudspeaker].map(({ command }) => findProgram(command, path));
    const [recording, playing] = commands;
    if (typeof recording !== "string" || typeof playing !== "string") continue;
    return { microphone: { ...microphone, command: recording }, loudspeaker: { ...loudspeaker, command: playing } };
  }
  return null;
}
