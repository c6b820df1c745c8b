import { useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { type Microphone, openMicrophone } from "../audio/microphone.js";
import { loudnessOf } from "../audio/pcm.js";
import { LevelMeter } from "../parts/level-meter.js";
import { FailureNote } from "../shell/failure-note.js";
import { CaptionSocket } from "./caption-socket.js";
import { Turn } from "./turn.js";

/** What is open while captions are written. */
interface Session {
  microphone: Microphone | null;
  socket: CaptionSocket | null;
  /** Its user has ended it; the last words may still come. */
  isOver: boolean;
}

/** Writes down what the microphone hears, while it is said. */
export function LiveCaptions({ language }: { language: string }) {
  const session = useRef<Session | null>(null);
  const [isOn, setOn] = useState(false);
  const [level, setLevel] = useState(0);
  const [lines, setLines] = useState<string[]>([]);
  const [partial, setPartial] = useState("");
  const [error, setError] = useState<unknown>(null);

  useEffect(
    () => () => {
      session.current?.microphone?.close();
      session.current?.socket?.close();
      session.current = null;
    },
    [],
  );

  const begin = async (): Promise<void> => {
    const mine: Session = { microphone: null, socket: null, isOver: false };
    const turn = new Turn();
    session.current = mine;
    setError(null);
    setLines([]);
    setPartial("");
    setOn(true);
    const fail = (failure: unknown): void => {
      mine.microphone?.close();
      if (session.current !== mine) return;
      setError(failure);
      setOn(false);
    };
    try {
      const microphone = await openMicrophone((samples) => {
        const loudness = loudnessOf(samples);
        setLevel(loudness);
        mine.socket?.send(samples, turn.add(loudness, samples.length / (mine.microphone?.sampleRate ?? 1)));
      });
      // The user may have left, or pressed Stop, before the browser had asked.
      if (session.current !== mine || mine.isOver) return microphone.close();
      mine.microphone = microphone;
      mine.socket = new CaptionSocket({
        sampleRate: microphone.sampleRate,
        language,
        onPartial: (text) => {
          if (session.current === mine) setPartial(text);
        },
        onFinal: (text) => {
          // Another session may have begun before the last words of this one came.
          if (session.current !== mine) return;
          setPartial("");
          if (text !== "") setLines((before) => [...before, text]);
        },
        onFailure: fail,
      });
    } catch (failure) {
      fail(failure);
    }
  };
  const end = (): void => {
    const { current } = session;
    current?.microphone?.close();
    current?.socket?.end();
    if (current !== null) current.isOver = true;
    setOn(false);
  };

  return (
    <section className="card" aria-labelledby="live">
      <h2 id="live">Live captions</h2>
      <p className="soft">What you say into the microphone is written down while you say it.</p>
      {error === null ? null : <FailureNote doing="There are no captions" error={error} />}
      <div className="actions">
        {isOn ? (
          <Button className="button" onPress={end}>
            Stop captions
          </Button>
        ) : (
          <Button className="button quiet" onPress={begin}>
            Start captions
          </Button>
        )}
        {isOn ? <LevelMeter level={level} /> : null}
      </div>
      {lines.length === 0 && partial === "" ? null : (
        <div className="captions" role="log" aria-label="Captions">
          {/* A line never changes, and none goes away: its place is its name. */}
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as said above
            <p key={index}>{line}</p>
          ))}
          {partial === "" ? null : <p className="soft partial">{partial}</p>}
        </div>
      )}
    </section>
  );
}
