import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { renderSrt, renderVtt } from "#protocol/transcription/captions";
import type { Transcript } from "#protocol/transcription/request";
import { saveFile } from "../audio/save.js";
import type { TimedText } from "../audio/words.js";
import { LitWords } from "../parts/lit-words.js";
import { FailureNote } from "../shell/failure-note.js";
import { captionsOf } from "./captions.js";
import { type FileTranscription, useFileTranscription } from "./file-transcription.js";

interface TranscriptCardProps {
  file: File;
  language: string;
  /** Whether it may begin: the service takes so many files of a team at once. */
  hasTurn: boolean;
  onOver: () => void;
}

/** A file, from its upload to its words. */
export function TranscriptCard({ file, language, hasTurn, onOver }: TranscriptCardProps) {
  const state = useFileTranscription({ file, language, hasTurn, onOver });
  return (
    <section className="card" aria-label={`Transcript of ${file.name}`}>
      <h2>{file.name}</h2>
      <Progress state={state} />
      {state.phase === "failed" ? <FailureNote doing="The file was not transcribed" error={state.error} /> : null}
      {state.phase === "done" ? <Words file={file} transcript={state.transcript} /> : null}
    </section>
  );
}

function Progress({ state }: { state: FileTranscription }) {
  const { phase } = state;
  if (phase === "done" || phase === "failed") return null;
  const words = { waiting: "Waiting for its turn", uploading: "Uploading", recognizing: "Recognizing" }[phase];
  return (
    <p role="status">
      {words}… <progress aria-label={words} {...(phase === "uploading" ? { value: state.sent } : {})} />
    </p>
  );
}

function Words({ file, transcript }: { file: File; transcript: Transcript }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isPlayable, setPlayable] = useState(true);
  useEffect(() => {
    const element = audio.current;
    if (element === null) return;
    const address = URL.createObjectURL(file);
    element.src = address;
    return () => URL.revokeObjectURL(address);
  }, [file]);
  const pieces = useMemo(() => piecesOf(transcript), [transcript]);
  const { text, duration, language } = transcript;
  return (
    <>
      <p className="soft">
        {duration.toFixed(1)} s{language === undefined ? "" : ` · ${language}`}
      </p>
      {/* biome-ignore lint/a11y/useMediaCaption: its words stand below, lit as they sound */}
      <audio
        ref={audio}
        controls
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onError={() => setPlayable(false)}
      />
      {isPlayable ? null : <p className="help">The browser cannot play this kind of file.</p>}
      {text === "" ? (
        <p>No words were recognized.</p>
      ) : (
        <LitWords
          label={`Words of ${file.name}`}
          pieces={pieces}
          positionOf={() => audio.current?.currentTime ?? 0}
          isPlaying={isPlaying}
        />
      )}
      <SaveButtons name={file.name} transcript={transcript} />
    </>
  );
}

function SaveButtons({ name, transcript }: { name: string; transcript: Transcript }) {
  const captions = useMemo(() => captionsOf(transcript.segments), [transcript]);
  const files = {
    SRT: () => renderSrt(captions),
    VTT: () => renderVtt(captions),
    JSON: () => JSON.stringify(transcript, null, 2),
    Text: () => `${transcript.text}\n`,
  };
  const endings = { SRT: "srt", VTT: "vtt", JSON: "json", Text: "txt" };
  return (
    <div className="actions">
      <span className="soft">Download</span>
      {(Object.keys(files) as (keyof typeof files)[]).map((kind) => (
        <Button
          key={kind}
          className="button quiet"
          aria-label={`Download ${kind} of ${name}`}
          onPress={() => saveFile(new Blob([files[kind]()]), `${name}.${endings[kind]}`)}
        >
          {kind}
        </Button>
      ))}
    </div>
  );
}

/** Words with their times, and blanks between them. */
function piecesOf({ segments }: Transcript): TimedText[] {
  return segments.flatMap(({ text, start, end }, index) => [
    ...(index === 0 ? [] : [{ text: " ", time: null }]),
    { text, time: { startSeconds: start, endSeconds: end } },
  ]);
}
