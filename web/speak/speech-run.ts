import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { SpeechModel, SpeechRequest } from "#protocol/speech/request";
import type { ChunkAlignment } from "#protocol/speech/timestamps";
import type { StreamFailure } from "../api/stream-failure.js";
import { joinSamples, readSamples } from "../audio/pcm.js";
import { PeakMeter } from "../audio/peaks.js";
import { Player } from "../audio/player.js";
import { timedText, withChunk } from "../audio/words.js";
import { useEachFrame } from "../parts/each-frame.js";
import { LiveSocket } from "./live-socket.js";

/** Of the audio that is played, whatever the file's format. */
export const PLAYED_RATE = 44_100;

/** One text that was, or is being, spoken. */
export interface Speech {
  phase: "speaking" | "playing" | "done" | "failed";
  /** From the first text to the first audio. */
  firstAudioMs: number | null;
  /** All audio so far, which grows in its place: an hour of it is not copied with each piece that comes. */
  samples: Float32Array<ArrayBuffer>[];
  sampleCount: number;
  /** The loudest samples, in steps of equal length; they grow likewise. */
  peaks: readonly number[];
  chunks: ChunkAlignment[];
  /** Whether all of the text was spoken: its user may have stopped it before. */
  isComplete: boolean;
  failure: StreamFailure | null;
}

const nothing = {
  phase: "speaking",
  firstAudioMs: null,
  sampleCount: 0,
  chunks: [],
  isComplete: false,
  failure: null,
} as const;

export type SpeechRun = ReturnType<typeof useSpeechRun>;

/** Speaks text through the live socket and plays it meanwhile. One text at a time: another one ends the one before. */
export function useSpeechRun() {
  const [speech, setSpeech] = useState<Speech | null>(null);
  const running = useRef<{ socket: LiveSocket | null; player: Player } | null>(null);
  const change = (part: (speech: Speech) => Partial<Speech>): void =>
    setSpeech((speech) => (speech === null ? null : { ...speech, ...part(speech) }));

  const silence = useCallback((): void => {
    running.current?.socket?.close();
    running.current?.player.stop();
    running.current = null;
  }, []);
  // A page that is left falls silent.
  useEffect(() => silence, [silence]);

  /** Opens the way; `text` and `end` follow. */
  const begin = (model: SpeechModel, request: SpeechRequest): void => {
    silence();
    const player = new Player(PLAYED_RATE);
    const meter = new PeakMeter(PLAYED_RATE);
    const all: Float32Array<ArrayBuffer>[] = [];
    let firstTextAtMs = 0;
    setSpeech({ ...nothing, chunks: [], samples: all, peaks: meter.peaks });
    const socket = new LiveSocket({
      model,
      request: { ...request, format: "pcm", sample_rate: PLAYED_RATE },
      onFirstText: () => {
        firstTextAtMs = performance.now();
      },
      onAudio: (bytes) => {
        const samples = readSamples(bytes);
        all.push(samples);
        player.add(samples);
        meter.add(samples);
        const waitedMs = performance.now() - firstTextAtMs;
        change(({ firstAudioMs, sampleCount }) => ({
          firstAudioMs: firstAudioMs ?? waitedMs,
          sampleCount: sampleCount + samples.length,
        }));
      },
      onWords: (chunk) => change(({ chunks }) => ({ chunks: withChunk(chunks, chunk) })),
      onEnd: (failure) => {
        if (failure !== null) silence();
        change(() => ({ phase: failure === null ? "playing" : "failed", isComplete: failure === null, failure }));
      },
    });
    running.current = { socket, player };
  };

  const playAgain = (): void => {
    if (speech === null) return;
    silence();
    const player = new Player(PLAYED_RATE);
    player.add(joinSamples(speech.samples));
    running.current = { socket: null, player };
    change(() => ({ phase: "playing" }));
  };

  /** Ends speaking and playing; what was spoken stays. */
  const stop = (): void => {
    silence();
    change(() => ({ phase: "done" }));
  };

  useEachFrame(() => {
    if (running.current?.player.hasPlayed === true) stop();
  }, speech?.phase === "playing");

  const pieces = useMemo(() => timedText(speech?.chunks ?? []), [speech?.chunks]);
  return {
    speech,
    pieces,
    lengthSeconds: (speech?.sampleCount ?? 0) / PLAYED_RATE,
    /** What sounds now; nothing does where nobody plays. */
    positionOf: () => running.current?.player.positionSeconds ?? 0,
    isPlaying: speech?.phase === "speaking" || speech?.phase === "playing",
    begin,
    text: (text: string) => running.current?.socket?.text(text),
    end: () => running.current?.socket?.stop(),
    playAgain,
    stop,
  };
}
