import { useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { type Microphone, openMicrophone } from "../audio/microphone.js";
import { joinSamples, loudnessOf, wavFile } from "../audio/pcm.js";
import { FailureNote } from "../shell/failure-note.js";
import { LevelMeter } from "./level-meter.js";

interface Recording {
  microphone: Microphone | null;
  parts: Float32Array[];
}

/** Records from the microphone, with its level shown, and gives a WAV file. */
export function Recorder({ onRecording }: { onRecording: (file: File) => void }) {
  const recording = useRef<Recording | null>(null);
  const [isRecording, setRecording] = useState(false);
  const [level, setLevel] = useState(0);
  const [sampleCount, setSampleCount] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const close = (): Recording | null => {
    const { current } = recording;
    recording.current = null;
    current?.microphone?.close();
    setRecording(false);
    return current;
  };
  useEffect(
    () => () => {
      recording.current?.microphone?.close();
      recording.current = null;
    },
    [],
  );

  const begin = async (): Promise<void> => {
    const mine: Recording = { microphone: null, parts: [] };
    recording.current = mine;
    setError(null);
    setSampleCount(0);
    setRecording(true);
    try {
      const microphone = await openMicrophone((samples) => {
        mine.parts.push(samples);
        setLevel(loudnessOf(samples));
        setSampleCount((count) => count + samples.length);
      });
      // The user may have left before the browser had asked.
      if (recording.current === mine) mine.microphone = microphone;
      else microphone.close();
    } catch (failure) {
      setError(failure);
      if (recording.current === mine) close();
    }
  };
  const end = (): void => {
    const { microphone, parts } = close() ?? { microphone: null, parts: [] };
    if (microphone === null || parts.length === 0) return;
    const wav = wavFile(joinSamples(parts), microphone.sampleRate);
    onRecording(new File([wav], `recording ${new Date().toLocaleTimeString("en-GB")}.wav`, { type: wav.type }));
  };
  const rate = recording.current?.microphone?.sampleRate ?? 0;

  return (
    <>
      {error === null ? null : <FailureNote doing="Nothing can be recorded" error={error} />}
      <div className="actions">
        {isRecording ? (
          <>
            <Button className="button" onPress={end}>
              Stop recording
            </Button>
            <LevelMeter level={level} />
            <span className="soft">{rate === 0 ? "" : `${(sampleCount / rate).toFixed(1)} s`}</span>
          </>
        ) : (
          <Button className="button quiet" onPress={begin}>
            Record
          </Button>
        )}
      </div>
    </>
  );
}
