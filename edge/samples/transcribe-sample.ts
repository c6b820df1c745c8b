import type { TranscribedSample } from "#protocol/bus/samples";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import type { OpenedAudio, OpenAudioOptions } from "#audio/decoding/open-audio";
import { MAX_REFERENCE_SECONDS } from "#audio/voice/reference-limits";
import type { Config } from "#common/config/config";
import { newIdentifier } from "#common/identifier";
import { chooseRecognizer, describeLanguage } from "#transcription/recognizer-choice";
import { TranscriptionSession } from "#transcription/streaming/session";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";

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
  const recognizer = chooseRecognizer(recognition.served("transcribe"), undefined, config).folder;
  const limits = { minSeconds: 0, maxSeconds: MAX_REFERENCE_SECONDS + 1, sampleRate: RECOGNITION_RATE, signal };
  const { pieces } = await openAudio(bytes, limits);
  const utterances: { text: string; language: string }[] = [];
  return await new Promise<TranscribedSample>((resolve, reject) => {
    const session = new TranscriptionSession({
      ...{
        recognition,
        sessionId: newIdentifier(),
        recognizer,
        detector: null,
        language: null,
        traceparent: null,
        tier: "bulk",
      },
      commit: { by: "manual" },
      partials: false,
      onEvent(event) {
        if (event.type === "committed" && event.text !== "") utterances.push(event);
        else if (event.type === "ended") resolve(transcriptOf(utterances));
        else if (event.type === "failed") reject(event.error);
      },
    });
    const fail = (reason: unknown): void => {
      session.close();
      reject(reason);
    };
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
    push(pieces, session).catch(fail);
  });
}

function transcriptOf(utterances: readonly { text: string; language: string }[]): TranscribedSample {
  const languages = utterances.flatMap(({ language }) => describeLanguage(language).language_code ?? []);
  return { text: utterances.map(({ text }) => text).join(" "), languages: [...new Set(languages)] };
}

async function push(pieces: AsyncIterable<Int16Array>, session: TranscriptionSession): Promise<void> {
  for await (const piece of pieces) {
    session.push(piece);
    await session.room();
  }
  session.end();
}
