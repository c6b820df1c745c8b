import { newIdentifier } from "#common/identifier";
import type { RecognitionClient } from "../recognition/recognition-client.js";
import type { ChosenRecognizer } from "../recognizer-choice.js";
import { Transcriber, type TranscriberOptions } from "./transcriber.js";

/**
 * Opens a transcriber of one file on the cluster, with a voice activity detector where one is loaded. Close it when
 * `run` has settled.
 */
export function openTranscriber({
  client,
  recognizer,
  keyterms,
  traceparent,
  ...options
}: Pick<TranscriberOptions, "signal" | "onRecognized"> & {
  client: Pick<RecognitionClient, "open" | "served">;
  recognizer: ChosenRecognizer;
  /** Words that the caller expects. */
  keyterms?: readonly string[] | undefined;
  traceparent: string | null;
}): Pick<Transcriber, "run" | "recognizedSeconds"> & { close(): void } {
  const { folder, language } = recognizer;
  const common = { tier: "bulk" as const, traceparent };
  const recognition = client.open({
    ...common,
    streamId: newIdentifier(),
    task: "transcribe",
    model: folder,
    language,
    ...(keyterms === undefined ? {} : { keyterms }),
  });
  const vad = client.served("vad")[0]?.name;
  const detector =
    vad === undefined
      ? null
      : client.open({ ...common, streamId: newIdentifier(), task: "vad", model: vad, language: null });
  const transcriber = new Transcriber({ ...options, recognition, detector });
  return {
    run: (pieces) => transcriber.run(pieces),
    get recognizedSeconds() {
      return transcriber.recognizedSeconds;
    },
    close() {
      recognition.close();
      detector?.close();
    },
  };
}
