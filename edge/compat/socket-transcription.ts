import type { SocketAudioBudget } from "../transcription/socket-audio-budget.js";
import { type AudioCommit, type BufferRefusal, CommitBuffer } from "./commit-buffer.js";
import type { HeldAudio } from "./held-audio.js";
import type { AudioTranscript, TranscribeTurn } from "./transcribe-audio.js";

/** How the audio of a turn is read. */
export interface TurnSettings {
  /** Of bare samples, Hz; null for files in a format of their own. */
  sampleRate: number | null;
  language: string | null;
  /** Words that the client expects; the same list as long as they are the same. */
  keyterms: readonly string[];
}

export interface SocketTranscriptionOptions {
  budget: SocketAudioBudget;
  transcribe: TranscribeTurn;
  /** How audio that is not committed yet is read; null leaves it alone until then. */
  settings(): TurnSettings | null;
  /** Called with the text of the open turn so far, which may still change; false when the client does not get it. */
  onPartial?: (text: string) => boolean;
}

const nothing: AudioTranscript = { text: "", words: [], seconds: 0 };

/** The recognition of one turn, which may have begun before its commit. */
interface Run {
  readonly audio: HeldAudio;
  readonly settings: TurnSettings;
  readonly ending: AbortController;
  readonly transcript: Promise<AudioTranscript>;
  hasFailed: boolean;
  isCommitted: boolean;
  /** Text that will not change any more and that nobody has taken yet. */
  texts: string[];
  onText: ((text: string) => void) | null;
}

/**
 * The audio of one socket on its way to transcripts. The open turn is recognized while it comes in; turns are answered
 * one after the other, in the order of their commits. A turn that could not be recognized early is tried anew when it
 * is committed.
 */
export class SocketTranscription {
  readonly #options: SocketTranscriptionOptions;
  readonly #buffer: CommitBuffer;
  readonly #gone = new AbortController();
  #answered: Promise<void> = Promise.resolve();
  #unanswered = 0;
  /** Of the open turn. */
  #early: Run | null = null;

  constructor(options: SocketTranscriptionOptions) {
    this.#options = options;
    this.#buffer = new CommitBuffer(options.budget);
  }

  /** Bytes of the open turn. */
  get bytes(): number {
    return this.#buffer.bytes;
  }

  /** Takes audio in, as base64 or as the bytes that it stood for; gives why not, and takes nothing then. */
  append(audio: unknown): BufferRefusal | null {
    const refusal = this.#buffer.append(audio);
    if (refusal === null) this.#recognizeEarly();
    return refusal;
  }

  /** Forgets the open turn, and turns under way where they would have been requeued. */
  clear(): void {
    this.#buffer.clear();
    this.#dropEarly();
  }

  /** Ends the open turn; gives why not, and leaves it then. What is given goes to `transcribe`, or is requeued. */
  commit(): AudioCommit | BufferRefusal {
    return this.#buffer.commit();
  }

  /**
   * Recognizes a committed turn; without settings there is nothing in it to recognize. Calls `answer` with the
   * transcript when the turns before are answered, and not at all once the socket is closed. `answer` gives the
   * commit's room back.
   */
  transcribe(
    commit: AudioCommit,
    settings: TurnSettings | null,
    {
      answer,
      onText,
    }: { answer(transcript: Promise<AudioTranscript>): Promise<void>; onText?: (text: string) => void },
  ): void {
    const { audio } = commit;
    const early = this.#takeEarly(audio, settings);
    this.#unanswered++;
    this.#answered = this.#answered.then(async () => {
      let hasFailed = false;
      if (this.#gone.signal.aborted) commit.done();
      else if (settings === null) await answer(Promise.resolve(nothing));
      else {
        const run = early === null || early.hasFailed ? this.#run(audio, settings, true) : early;
        for (const text of run.texts.splice(0)) onText?.(text);
        run.onText = onText ?? null;
        await answer(run.transcript);
        hasFailed = run.hasFailed;
      }
      this.#unanswered--;
      // What comes back after a failure is recognized again when more audio comes, or with the next commit.
      if (!hasFailed) this.#recognizeEarly();
    });
  }

  /** The socket is gone: ends all work, and gives all room back that no answer holds. */
  close(): void {
    this.#gone.abort();
    this.#dropEarly();
    this.#buffer.clear();
  }

  #recognizeEarly(): void {
    if (this.#unanswered > 0 || this.bytes === 0 || this.#gone.signal.aborted) return;
    const { held } = this.#buffer;
    const settings = this.#options.settings();
    if (settings !== null && this.#early !== null && isOf(this.#early, held, settings)) return;
    this.#dropEarly();
    if (settings !== null && settings.sampleRate !== null) this.#early = this.#run(held, settings, false);
  }

  #takeEarly(audio: HeldAudio, settings: TurnSettings | null): Run | null {
    const early = this.#early;
    if (early === null || settings === null || early.hasFailed || !isOf(early, audio, settings)) {
      this.#dropEarly();
      return null;
    }
    early.isCommitted = true;
    this.#early = null;
    return early;
  }

  #dropEarly(): void {
    this.#early?.ending.abort();
    this.#early = null;
  }

  #run(audio: HeldAudio, settings: TurnSettings, isCommitted: boolean): Run {
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#gone.signal, ending.signal]);
    const { transcribe, onPartial } = this.#options;
    let last = "";
    const giveText = (text: string): void => {
      if (run.onText === null) run.texts.push(text);
      else run.onText(text);
    };
    const givePartial = (text: string): void => {
      if (text !== last && !run.isCommitted && onPartial?.(text) === true) last = text;
    };
    const transcript = transcribe({
      audio: { bytes: audio.bytes, read: (reading) => audio.read(reading), file: () => audio.file(signal) },
      ...settings,
      signal,
      onText: giveText,
      onPartial: onPartial === undefined || isCommitted ? undefined : givePartial,
    });
    const run: Run = { audio, settings, ending, transcript, hasFailed: false, isCommitted, texts: [], onText: null };
    // Whoever waits for the transcript gets the error; before the commit nobody does.
    transcript.catch(() => {
      run.hasFailed = true;
    });
    return run;
  }
}

function isOf({ audio, settings }: Run, held: HeldAudio, { sampleRate, language, keyterms }: TurnSettings): boolean {
  const isReadAlike = settings.language === language && settings.keyterms === keyterms;
  return audio === held && settings.sampleRate === sampleRate && isReadAlike;
}
