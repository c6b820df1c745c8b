import { type DragEvent, useState } from "react";
import "./audio.css";

interface FileDropProps {
  label: string;
  /** What may be dropped, and how large. */
  help: string;
  onFiles: (files: File[]) => void;
}

/** A place to drop audio files on, and a button to choose them. */
export function FileDrop({ label, help, onFiles }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    give([...event.dataTransfer.files]);
  };
  const give = (files: File[]): void => {
    if (files.length > 0) onFiles(files);
  };
  return (
    <section
      className={isOver ? "drop over" : "drop"}
      aria-label={label}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>Drop files here, or</p>
      <label className="button quiet">
        Choose files
        <input
          type="file"
          className="visually-hidden"
          accept="audio/*,video/webm"
          multiple
          onChange={({ target }) => {
            give([...(target.files ?? [])]);
            // The same file may be chosen again.
            target.value = "";
          }}
        />
      </label>
      <p className="help">{help}</p>
    </section>
  );
}
