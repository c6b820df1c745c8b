import { type ChildProcess, spawn } from "node:child_process";
import { basename } from "node:path";
import type { AudioProgram } from "./audio-programs.js";

/** Audio that waits to be played; more of it is silence that came too fast, and is left out. */
const MAX_WAITING_BYTES = 24_000;

/** A running program of a microphone or loudspeaker. */
export interface AudioDevice {
  stop(): void;
}

/** Records until it is stopped. `onEnded` says why it ended by itself, which is the end of the microphone. */
export function openMicrophone(
  program: AudioProgram,
  on: { samples: (samples: Int16Array) => void; ended: (reason: string) => void },
): AudioDevice {
  const device = start(program, on.ended);
  let rest = Buffer.alloc(0);
  device.child.stdout?.on("data", (bytes: Buffer) => {
    const joined = Buffer.concat([rest, bytes]);
    const usable = joined.length - (joined.length % 2);
    rest = joined.subarray(usable);
    const samples = new Int16Array(usable / 2);
    for (let index = 0; index < samples.length; index++) samples[index] = joined.readInt16LE(2 * index);
    on.samples(samples);
  });
  return device;
}

/** Plays what it is given, until it is stopped. */
export function openLoudspeaker(
  program: AudioProgram,
  onEnded: (reason: string) => void,
): AudioDevice & { play(samples: Int16Array, isAudible: boolean): void } {
  const device = start(program, onEnded);
  const { stdin } = device.child;
  // A program that has ended closes its input; `onEnded` says so.
  stdin?.on("error", () => undefined);
  return {
    stop: device.stop,
    play(samples, isAudible) {
      if (stdin === null || !stdin.writable || (!isAudible && stdin.writableLength > MAX_WAITING_BYTES)) return;
      const bytes = Buffer.alloc(2 * samples.length);
      for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * index);
      stdin.write(bytes);
    },
  };
}

function start(
  { command, args }: AudioProgram,
  onEnded: (reason: string) => void,
): AudioDevice & { child: ChildProcess } {
  // Of a group of its own: Ctrl-C is for the conversation, which says goodbye before it stops its programs.
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
  let words = "";
  let isStopped = false;
  let isOver = false;
  const over = (reason: string): void => {
    if (!isOver && !isStopped) onEnded(`${basename(command)}: ${reason}`);
    isOver = true;
  };
  child.stderr?.on("data", (data: Buffer) => {
    words = (words + data.toString()).slice(-500);
  });
  child.on("error", (error) => over(error.message));
  child.on("close", (code, signal) => over(words.trim().split("\n").at(-1) || `it ended (${signal ?? code})`));
  return {
    child,
    stop() {
      isStopped = true;
      child.kill();
    },
  };
}
