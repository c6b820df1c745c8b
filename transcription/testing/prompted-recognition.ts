import type {
  RecognitionClient,
  RecognitionOutput,
  RecognitionStream,
  RecognitionStreamSettings,
} from "../recognition/recognition-client.js";

/** A piece that somebody wants recognized; the test answers it. */
export interface PromptedPiece {
  settings: RecognitionStreamSettings;
  samples: Int16Array;
  signal: AbortSignal | undefined;
  answer(output: RecognitionOutput): void;
  fail(error: Error): void;
}

/** A recognition path whose answers a test gives one by one. */
export class PromptedRecognition implements Pick<RecognitionClient, "open"> {
  /** In the order in which they came. */
  readonly pieces: PromptedPiece[] = [];
  readonly opened: string[] = [];
  openStreams = 0;

  open(settings: RecognitionStreamSettings): RecognitionStream {
    this.opened.push(settings.streamId);
    this.openStreams++;
    const closed = new AbortController();
    return {
      recognize: (samples, { signal }) =>
        new Promise((resolve, reject) => {
          for (const over of [closed.signal, ...(signal === undefined ? [] : [signal])])
            over.addEventListener("abort", () => reject(new DOMException("closed", "AbortError")));
          this.pieces.push({ settings, samples, signal, answer: resolve, fail: reject });
        }),
      close: () => {
        if (!closed.signal.aborted) this.openStreams--;
        closed.abort();
      },
    };
  }
}
