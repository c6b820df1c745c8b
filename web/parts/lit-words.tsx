import { useMemo, useState } from "react";
import { pieceAt, type TimedText } from "../audio/words.js";
import { useEachFrame } from "./each-frame.js";
import "./audio.css";

interface LitWordsProps {
  label: string;
  pieces: readonly TimedText[];
  /** What sounds now, seconds from the start. */
  positionOf: () => number;
  isPlaying: boolean;
}

/** A text, in which the word is lit that sounds. */
export function LitWords({ label, pieces, positionOf, isPlaying }: LitWordsProps) {
  const [lit, setLit] = useState(-1);
  useEachFrame(() => setLit(pieceAt(pieces, positionOf())), isPlaying);
  // A piece has no name of its own: its place is what it is known by.
  const keyed = useMemo(() => pieces.map((piece, index) => ({ ...piece, key: index })), [pieces]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section className="spoken" tabIndex={0} aria-label={label}>
      {keyed.map(({ key, text }) => (
        <span key={key} className={isPlaying && key === lit ? "lit" : undefined}>
          {text}
        </span>
      ))}
    </section>
  );
}
