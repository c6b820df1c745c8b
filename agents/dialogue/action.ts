import type { ConversationRecord, EndReason, TurnLatency } from "#protocol/bus/conversation-log";
import type { DialogueMessage, ModelToolCall, ToolResult } from "./input.js";
import type { DialogueTool } from "./settings.js";

/** What the agent does, as the room shows it (`lk.agent.state`). */
export type AgentState = "initializing" | "listening" | "thinking" | "speaking";

/** A record without id and time, which the driver adds. */
export type UnstampedRecord = ConversationRecord extends infer R
  ? R extends ConversationRecord
    ? Omit<R, "id" | "atEpochMs">
    : never
  : never;

/** What an instruction to the language model is for: greet, ask a silent caller, take leave, go on after a break. */
export type InstructionKind = "greet" | "speak-up" | "say-goodbye" | "go-on";

/** What a dialogue wants done, in order. */
export type DialogueAction =
  /**
   * Ask the language model. `instruction` is for this request alone (greet, speak up, say goodbye, go on after a
   * break); `instructionKind` says which, for responders that read no prompts. The answer of a speculative request is
   * held back by the dialogue, not by the driver.
   */
  | {
      type: "ask-model";
      requestId: string;
      history: readonly DialogueMessage[];
      instruction: string | null;
      instructionKind?: InstructionKind;
    }
  /** Its answer is not wanted any more; nothing of it is taken from here on. */
  | { type: "drop-request"; requestId: string }
  /** Add text to what a reply says; the first of a new `replyId` begins it. At most one reply is spoken at a time. */
  | { type: "speak"; replyId: string; text: string }
  /** All text of the reply has been given. */
  | { type: "finish-reply"; replyId: string }
  /** Fall silent now, and go on at `resume-reply` from the beginning of the word that was cut. */
  | { type: "pause-reply"; replyId: string }
  | { type: "resume-reply"; replyId: string }
  /** Fall silent for good; a last `heard` may still come and is ignored. */
  | { type: "stop-reply"; replyId: string }
  /** Every call gets exactly one `tool-result`. */
  | { type: "call-tool"; call: ModelToolCall; tool: DialogueTool }
  | { type: "cancel-tool"; callId: string }
  /** Tell the caller's program (`tool.started`, `tool.completed`, `tool.failed`), where it wants to know. */
  | { type: "tell-tool"; call: ModelToolCall; result: ToolResult | null }
  /** Publish what somebody says; the text replaces what was published for the segment. */
  | { type: "publish-transcript"; segmentId: string; speaker: "caller" | "agent"; text: string; isFinal: boolean }
  | { type: "set-state"; state: AgentState }
  /** Append to the conversation's log; what follows in the list waits until it is stored where the record is a call. */
  | { type: "record"; record: UnstampedRecord }
  | { type: "report-latency"; turnId: number; latency: TurnLatency }
  /** The dialogue is over: nothing follows. */
  | { type: "end"; reason: EndReason; detail: string | null };
