import type { AudioFormat } from "#protocol/speech/request";
import { findProgram } from "#launcher/find-program";

/** A program that plays audio from its standard input. */
export interface Player {
  command: string;
  args: string[];
  format: AudioFormat;
}

const players: readonly Player[] = [
  { command: "ffplay", args: ["-loglevel", "error", "-nodisp", "-autoexit", "-i", "pipe:0"], format: "mp3" },
  { command: "mpv", args: ["--really-quiet", "--no-video", "-"], format: "mp3" },
  { command: "aplay", args: ["-q", "-"], format: "wav" },
];

/** The first player that this machine has; null when it has none. */
export function findPlayer(path: string | undefined): Player | null {
  return players.find((player) => findProgram(player.command, path) !== null) ?? null;
}
