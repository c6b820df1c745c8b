import { useState } from "react";
import { FileDrop } from "../parts/file-drop.js";
import { usePageTitle } from "../parts/page-title.js";
import { Recorder } from "../parts/recorder.js";
import { TextField } from "../parts/text-field.js";
import { ScopeGate } from "../session/scope.js";
import { LiveCaptions } from "./live-captions.js";
import { TranscriptCard } from "./transcript-card.js";
import "./transcribe.css";

/** So many files are transcribed at once; the others wait here, where they cost the service nothing. */
const FILES_AT_ONCE = 2;

interface Item {
  id: number;
  file: File;
  language: string;
  isOver: boolean;
}

/** Turns recordings into text. */
export function Transcribe() {
  usePageTitle("Transcribe");
  return (
    <>
      <h1>Transcribe</h1>
      <ScopeGate scope="transcription" doing="transcribe">
        <TranscribeForm />
      </ScopeGate>
    </>
  );
}

function TranscribeForm() {
  const [language, setLanguage] = useState("");
  const [items, setItems] = useState<Item[]>([]);
  const add = (files: File[]): void =>
    setItems((before) => [
      // The newest on top: that is what the user waits for.
      ...files.map((file, index) => ({ id: before.length + files.length - index, file, language, isOver: false })),
      ...before,
    ]);
  const over = (id: number): void =>
    setItems((before) => before.map((item) => (item.id === id ? { ...item, isOver: true } : item)));
  const unfinished = items.filter(({ isOver }) => !isOver).toReversed();
  const atWork = new Set(unfinished.slice(0, FILES_AT_ONCE));
  return (
    <>
      <div className="narrow">
        <TextField
          label="Language"
          help="A code such as en or de; empty leaves it to the service. It holds for what is transcribed from now on."
          value={language}
          onChange={setLanguage}
        />
      </div>
      <div className="transcribe">
        <section className="card" aria-labelledby="files">
          <h2 id="files">Recordings</h2>
          <FileDrop
            label="Files to transcribe"
            help="WAV, MP3, FLAC, Ogg, WebM and more; at most 20 MB and an hour each."
            onFiles={add}
          />
          <Recorder onRecording={(file) => add([file])} />
        </section>
        <LiveCaptions language={language.trim()} />
      </div>
      {items.length === 0 ? (
        <p className="soft">Nothing was transcribed yet. Drop a file, or record something.</p>
      ) : (
        <div className="transcripts">
          {items.map((item) => (
            <TranscriptCard
              key={item.id}
              file={item.file}
              language={item.language.trim()}
              hasTurn={item.isOver || atWork.has(item)}
              onOver={() => over(item.id)}
            />
          ))}
        </div>
      )}
    </>
  );
}
