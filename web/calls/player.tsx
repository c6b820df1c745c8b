import { type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import type { RecordingTrackEntity } from "#protocol/agents/recording";
import { clockText } from "../parts/time-text.js";
import { TrackWaveform } from "./waveform.js";

/** Plays the recording from so many seconds after the caller joined. */
export type Seek = (seconds: number) => void;

/** A track that can be played. */
export interface PlayableTrack {
  role: RecordingTrackEntity["role"];
  url: string;
  durationMs: number;
}

interface PlayerProps {
  tracks: readonly PlayableTrack[];
  /** From the recording's beginning to the moment when the caller joined. */
  offsetSeconds: number;
  seek: RefObject<Seek | null>;
}

const names: Readonly<Record<PlayableTrack["role"], string>> = { user: "Caller", agent: "Agent", human: "Colleague" };

/** Tracks that are further apart are brought together again. */
const APART_SECONDS = 0.08;

/** Plays the sides of a call at once. The first track leads, the others follow it. */
export function Player({ tracks, offsetSeconds, seek }: PlayerProps) {
  const elements = useRef(new Map<string, HTMLAudioElement>());
  const [atSeconds, setAtSeconds] = useState(0);
  const [isPlaying, setIsPlaying] = useState(false);
  const lengthSeconds = Math.max(...tracks.map(({ durationMs }) => durationMs)) / 1000;
  const leader = (): HTMLAudioElement | undefined => elements.current.get(tracks[0]?.role ?? "");
  const each = (what: (element: HTMLAudioElement) => void): void => elements.current.forEach(what);

  const play = (): void => each((element) => void element.play().catch(() => setIsPlaying(false)));
  const pause = (): void => each((element) => element.pause());
  const moveTo = (seconds: number): void => {
    each((element) => {
      element.currentTime = seconds;
    });
    setAtSeconds(seconds);
  };
  const follow = (): void => {
    const first = leader();
    if (first === undefined) return;
    setAtSeconds(first.currentTime);
    each((element) => {
      if (Math.abs(element.currentTime - first.currentTime) > APART_SECONDS) element.currentTime = first.currentTime;
    });
  };
  useEffect(() => {
    seek.current = (seconds) => {
      moveTo(Math.min(lengthSeconds, seconds + offsetSeconds));
      play();
    };
    return () => {
      seek.current = null;
    };
  });

  return (
    <div className="player">
      {tracks.map(({ role, url }, index) => (
        <div key={role} className="track">
          <span className="soft">{names[role]}</span>
          <TrackWaveform
            url={url}
            label={`Loudness of the ${names[role].toLowerCase()}'s side`}
            lengthSeconds={lengthSeconds}
            positionOf={() => leader()?.currentTime ?? 0}
            isPlaying={isPlaying}
          />
          <a className="button quiet" href={url} download>
            Download<span className="visually-hidden"> the {names[role].toLowerCase()}'s side</span>
          </a>
          <audio
            ref={(element) => {
              if (element === null) elements.current.delete(role);
              else elements.current.set(role, element);
            }}
            src={url}
            preload="metadata"
            {...(index === 0
              ? { onTimeUpdate: follow, onPlay: () => setIsPlaying(true), onPause: () => setIsPlaying(false) }
              : {})}
          />
        </div>
      ))}
      <div className="actions">
        <Button className="button" onPress={isPlaying ? pause : play}>
          {isPlaying ? "Pause" : "Play"}
        </Button>
        <input
          type="range"
          className="position"
          aria-label="Position"
          aria-valuetext={`${clockText(atSeconds)} of ${clockText(lengthSeconds)}`}
          min={0}
          max={lengthSeconds}
          step={0.1}
          value={Math.min(atSeconds, lengthSeconds)}
          onChange={(event) => moveTo(Number(event.target.value))}
        />
        <span className="soft number">
          {clockText(atSeconds)} / {clockText(lengthSeconds)}
        </span>
      </div>
    </div>
  );
}
