/** What a caller can say, as every process of the run knows it. */
export interface Clip {
  name: string;
  /** The words in it. */
  text: string;
  /** s16le at 16 kHz in base64, without silence at its ends. */
  pcm: string;
  /** From its beginning to the end of its last voiced frame. */
  lastVoicedMs: number;
}

/** One thing that a caller does; `clip` is the number of what it says. */
export type Step =
  /** Asks, and takes the answer to its end. */
  | { type: "question"; clip: number }
  /** Has a story told, and speaks into it: an interruption, or a backchannel. */
  | { type: "interruption" | "backchannel"; clip: number };

export interface CallerTask {
  url: string;
  token: string;
  /** From the moment that the agent listens to the first step. */
  startAfterMs: number;
  steps: readonly Step[];
}

/** What the callers' process is asked to do. */
export interface CallersTask {
  clips: readonly Clip[];
  callers: readonly CallerTask[];
  seed: number;
}

/** A question as the caller had it. Times are of the callers' clock. */
export interface QuestionReport {
  type: "question";
  clip: number;
  /** When the last voiced frame had left the microphone. */
  lastVoicedAtMs: number;
  /** When the first audible frame of the answer came; null where none did. */
  audibleAtMs: number | null;
  /** From the first to the last audible frame of the answer. */
  spanMs: number;
  /** The caller's words, as the agent's transcript of them says, and the answer as its own does. */
  understood: string;
  answer: string;
}

/** Something said into a story, as the caller had it. */
export interface InterjectionReport {
  type: "interruption" | "backchannel";
  clip: number;
  /** From the first voiced frame of it to the end of the last audible one of the story; null where the agent was in a pause. */
  silentAfterMs: number | null;
  /** The agent began to say something else. */
  hasNewReply: boolean;
  /** The agent was audible at the end of the time that it was watched for. */
  isAudibleLate: boolean;
  understood: string;
}

export type StepReport = QuestionReport | InterjectionReport;

export interface CallerReport {
  steps: StepReport[];
  /** Why the caller stopped before its last step; null when it did not. */
  problem: string | null;
}

/** A finished run, from the callers' side. */
export interface CallersReport {
  callers: CallerReport[];
  /** s16le at 16 kHz in base64: what the first caller received of its first answer. */
  firstAnswer: string;
  wallMs: number;
  /** Part of one core that the callers used. */
  processorShare: number;
  /** Lag of their event loop. */
  lagP99Ms: number;
  lagMaxMs: number;
}
