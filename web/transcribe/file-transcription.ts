import { useEffect, useState } from "react";
import type { Transcript } from "#protocol/transcription/request";
import { upload } from "../api/upload.js";

/** How far a file is on its way to its words. */
export type FileTranscription =
  | { phase: "waiting" }
  /** From 0 to 1. */
  | { phase: "uploading"; sent: number }
  | { phase: "recognizing" }
  | { phase: "done"; transcript: Transcript }
  | { phase: "failed"; error: unknown };

/** Transcribes a file when its turn has come, with the time of each word. Leaving the page ends it. */
export function useFileTranscription(options: {
  file: File;
  language: string;
  hasTurn: boolean;
  onOver: () => void;
}): FileTranscription {
  const { file, language, hasTurn, onOver } = options;
  const [state, setState] = useState<FileTranscription>({ phase: "waiting" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked for is that of the moment in which it begins
  useEffect(() => {
    if (!hasTurn || state.phase === "done" || state.phase === "failed") return;
    const leaving = new AbortController();
    const form = new FormData();
    form.set("audio", file);
    form.set("timestamp_granularity", "word");
    if (language !== "") form.set("language", language);
    const onSent = (sent: number): void =>
      setState(sent === 1 ? { phase: "recognizing" } : { phase: "uploading", sent });
    const end = (last: FileTranscription): void => {
      if (leaving.signal.aborted) return;
      setState(last);
      onOver();
    };
    upload<Transcript>("/v1/asr", form, onSent, leaving.signal).then(
      (transcript) => end({ phase: "done", transcript }),
      (error: unknown) => end({ phase: "failed", error }),
    );
    return () => leaving.abort();
  }, [hasTurn, file]);
  return state;
}
