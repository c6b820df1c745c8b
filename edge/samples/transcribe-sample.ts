import type { TranscribedSample } from "#protocol/bus/samples";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { OpenedAudio, OpenAudioOptions } from "#audio/decoding/open-audio";
import { MAX_REFERENCE_SECONDS } from "#audio/voice/reference-limits";
import type { Config } from "#common/config/config";
import { openTranscriber } from "#transcription/files/open-transcriber";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import { chooseRecognizer, describeLanguage } from "#transcription/recognizer-choice";
import { mergeWords, textOf } from "#transcription/transcript";

export interface SampleTranscriptionOptions {
  recognition: Pick<RecognitionClient, "open" | "served">;
  openAudio(bytes: Uint8Array, options: OpenAudioOptions): Promise<OpenedAudio>;
  config: Pick<Config, "PARLEY_MODEL_MAP">;
}

/**
 * Writes down what is said in a voice sample, on the cluster's recognizers; takes the memory of `bytes`. Throws
 * `no_worker` where no recognizer is loaded, and what decoding and transcribing throw; an aborted signal rejects with
 * its reason.
 */
export async function transcribeSample(
  bytes: Uint8Array,
  signal: AbortSignal,
  { recognition, openAudio, config }: SampleTranscriptionOptions,
): Promise<TranscribedSample> {
  const recognizer = chooseRecognizer(recognition.served("transcribe"), undefined, config);
  const limits = { minSeconds: 0, maxSeconds: MAX_REFERENCE_SECONDS + 1, sampleRate: RECOGNITION_RATE, signal };
  const { pieces } = await openAudio(bytes, limits);
  const transcriber = openTranscriber({ client: recognition, recognizer, traceparent: null, signal });
  try {
    const { recognized, language } = await transcriber.run(pieces);
    const { language_code: code } = describeLanguage(language);
    return { text: textOf(mergeWords(recognized)), languages: code === undefined ? [] : [code] };
  } finally {
    transcriber.close();
  }
}
