import { openSound } from "#common/audio/decoding/open-sound";
import { MAX_REFERENCE_SECONDS } from "#common/audio/voice/reference-limits";
import type { Config } from "#common/config/config";
import { newIdentifier } from "#common/identifier";
import { chooseRecognizer, describeLanguage } from "#common/listening/recognizer";
import { ListeningSession } from "#common/listening/session";
import type { SoundBus } from "#common/listening/sound";
import type { Logger } from "#common/log";
import { LISTENING_RATE } from "#protocol/listening/chunk";

/** What is said in a sample. */
export interface SampleTranscript {
  text: string;
  /** Languages that the recognizer named, as primary BCP-47 subtags; none where it named none or recognized no words. */
  languages: string[];
}

/** Transcribes each sample, in order; the text is empty where that fails. Never fails itself: a voice is a voice without transcripts. */
export type TranscribeVoice = (samples: Uint8Array[]) => Promise<SampleTranscript[]>;

export interface TranscriptionOptions {
  sound: Pick<SoundBus, "open" | "served">;
  config: Pick<Config, "PARLEY_MODEL_MAP">;
  log: Logger;
}

/** Whoever makes a voice waits, at most this long: half of what the edge waits for an answer. */
const DEADLINE_MS = 15_000;

/** Transcribes on the cluster's recognizers. Samples that no recognizer heard in time stay without a text, and the log says why. */
export function transcribeSamples({ sound, config, log }: TranscriptionOptions): TranscribeVoice {
  return async (samples) => {
    if (samples.length === 0) return [];
    const signal = AbortSignal.timeout(DEADLINE_MS);
    return await Promise.all(
      samples.map(async (bytes) => {
        try {
          const recognizer = chooseRecognizer(sound.served("listen"), undefined, config).folder;
          return await hear({ bytes, recognizer, sound, signal });
        } catch (error) {
          log.warn({ err: error }, "a voice's sample was not transcribed");
          return { text: "", languages: [] };
        }
      }),
    );
  };
}

async function hear(options: { bytes: Uint8Array; recognizer: string; sound: Pick<SoundBus, "open">; signal: AbortSignal }): Promise<SampleTranscript> {
  const { bytes, recognizer, sound, signal } = options;
  // Copied: decoding takes the memory, and the sample is stored afterwards.
  const limits = { minSeconds: 0, maxSeconds: MAX_REFERENCE_SECONDS + 1, sampleRate: LISTENING_RATE, signal };
  const { pieces } = await openSound(new Uint8Array(bytes), limits);
  const utterances: { text: string; language: string }[] = [];
  return await new Promise<SampleTranscript>((resolve, reject) => {
    const session = new ListeningSession({
      ...{ sound, sessionId: newIdentifier(), recognizer, detector: null, language: null, traceparent: null, tier: "bulk" },
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

function transcriptOf(utterances: readonly { text: string; language: string }[]): SampleTranscript {
  const languages = utterances.flatMap(({ language }) => describeLanguage(language).language_code ?? []);
  return { text: utterances.map(({ text }) => text).join(" "), languages: [...new Set(languages)] };
}

async function push(pieces: AsyncIterable<Int16Array>, session: ListeningSession): Promise<void> {
  for await (const piece of pieces) {
    session.push(piece);
    await session.room();
  }
  session.end();
}
