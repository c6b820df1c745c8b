import type { EndReason, ToolSource } from "#protocol/bus/conversation-log";
import type { AnsweredBy } from "#protocol/webhooks";

/** What happens to a dialogue. Times are the call's `nowMs`, on one monotonic clock. */
export type DialogueInput =
  | { type: "caller-joined" }
  /** Out of the room: gone, or without a network for a while. */
  | { type: "caller-left" }
  /** Who answered the agent's call: comes once, where the settings ask for it. */
  | { type: "answered-by"; answeredBy: AnsweredBy }
  /** The machine that answered records from now on. */
  | { type: "recording" }
  /** Somebody speaks (`agents/turn`); from the first sure frame on. */
  | { type: "speech-started" }
  /**
   * A pause of the caller, told at its first sure moment; `lastVoicedMs` is when the last voiced frame came. Further
   * speech is told by another `speech-started`.
   */
  | { type: "speech-paused"; lastVoicedMs: number }
  /** What has been understood so far of what is being said; may change. `isUnsure`: they are likely to. */
  | { type: "partial"; text: string; isUnsure?: boolean }
  /**
   * Words that will not change; what one turn says may come in several. `isUnsure`: they may be a hum that the
   * recognizer has taken for words.
   */
  | { type: "transcript"; text: string; isUnsure?: boolean }
  /** No words will come any more for what was said until the last pause. */
  | { type: "transcribed" }
  /** A whole message of a caller who types. `isTextOnly`: the answer is to be read, not heard. */
  | { type: "typed"; text: string; isTextOnly?: boolean }
  /** The caller does something (`user.activity`): no silence. */
  | { type: "activity" }
  /** The caller asks for silence (`user.interrupt`). */
  | { type: "interrupt" }
  /** The caller asks for the end (`user.hangup`). */
  | { type: "hang-up" }
  | { type: "model-text"; requestId: string; text: string }
  | { type: "model-tool-call"; requestId: string; call: ModelToolCall }
  | { type: "model-finished"; requestId: string }
  /** `hasTried`: the driver has tried again already, where that was allowed. */
  | { type: "model-failed"; requestId: string; detail: string }
  /** The caller has heard `characters` UTF-16 units of the reply's text; `isOver`: all of it that was given to speak. */
  | { type: "heard"; replyId: string; characters: number; isOver: boolean }
  /** The first audible sample of a reply went out. */
  | { type: "reply-audible"; replyId: string }
  | { type: "speech-failed"; replyId: string; detail: string }
  | { type: "tool-result"; callId: string; result: ToolResult }
  /** The caller talks to somebody else now. `isOver`: by another way than this room, so the conversation is over. */
  | { type: "transferred"; isOver: boolean }
  /** The time has come that `nextWakeMs` asked for. */
  | { type: "tick" }
  /** Somebody outside ends it: at once, or after what is being said where `isPolite`. */
  | { type: "end"; reason: EndReason; detail: string | null; isPolite: boolean };

/** A call that a language model asks for. */
export interface ModelToolCall {
  callId: string;
  /** Function name, as the model wrote it: there may be no such tool. */
  name: string;
  /** JSON as the model wrote it; may be broken. */
  arguments: string;
}

export interface ToolResult {
  status: "completed" | "failed";
  /** For the model; shaped by the tool's error handling. */
  output: string | null;
  isOutputTruncated: boolean;
  error: string | null;
  latencyMs: number | null;
}

/** One entry of what was said and done, as a language model reads it. */
export type DialogueMessage =
  | { role: "caller"; turnId: number; text: string }
  /** `isInterrupted`: the caller heard no more of it. */
  | { role: "agent"; turnId: number; text: string; isInterrupted: boolean; calls: ModelToolCall[] }
  | { role: "tool"; turnId: number; callId: string; name: string; source: ToolSource; result: ToolResult };
