import { useEffect, useRef } from "react";
import { columnsOf } from "../audio/peaks.js";
import { useChartColours } from "../charts/colours.js";
import { useEachFrame } from "./each-frame.js";
import "./audio.css";

const COLUMN_PX = 3;

interface WaveformProps {
  label: string;
  /** Loudest samples, from 0 to 1, in steps of equal length. */
  peaks: readonly number[];
  lengthSeconds: number;
  /** What sounds now, seconds from the start. */
  positionOf: () => number;
  isPlaying: boolean;
}

/** How loud audio is over its time, coloured as far as it has played. */
export function Waveform({ label, peaks, lengthSeconds, positionOf, isPlaying }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { grid, ink, series } = useChartColours();
  const draw = (): void => {
    const element = canvas.current;
    const context = element?.getContext("2d") ?? null;
    if (element === null || context === null) return;
    const { clientWidth: width, clientHeight: height } = element;
    const scale = devicePixelRatio;
    [element.width, element.height] = [width * scale, height * scale];
    context.scale(scale, scale);
    const columns = columnsOf(peaks, Math.floor(width / COLUMN_PX));
    // Speech is seldom at full scale; the loudest of it is as high as there is room.
    const loudest = Math.max(0.1, ...columns);
    const played = lengthSeconds === 0 ? 0 : (positionOf() / lengthSeconds) * columns.length;
    for (const [index, peak] of columns.entries()) {
      const tall = Math.max(2, (peak / loudest) * height);
      context.fillStyle = peaks.length === 0 ? grid : index < played ? series[0] : ink;
      context.fillRect(index * COLUMN_PX, (height - tall) / 2, COLUMN_PX - 1, tall);
    }
  };
  useEachFrame(draw, isPlaying);
  useEffect(draw);
  return <canvas ref={canvas} className="waveform" role="img" aria-label={label} />;
}
