import type { TransferMode } from "../agents/config-values.js";
import type { AnsweredBy, DialStatus } from "../webhooks.js";

/*
 * The log of a conversation: what cannot be derived again, in order, one durable subject per session. The runtime that
 * holds the conversation writes it, each record behind the last one it knows of, so that of two writers one loses.
 * Another runtime replays it and goes on; the control plane makes the session's items of it.
 */

export const conversationStream = {
  name: "conversations",
  subjects: ["parley.conversation.*"],
  maxAgeMs: 24 * 3_600_000,
  maxBytes: 256 * 1024 * 1024,
};

export const conversationSubject = (sessionId: string): string => `parley.conversation.${sessionId}`;

/** Why a conversation ended. `error` and those below it count as failures for webhooks. */
export const endReasons = [
  /** The caller left, or asked for the end. */
  "caller_left",
  /** The agent used `hang_up_call`. */
  "agent_hung_up",
  /** The agent used `transfer_call`, and the caller talked to whom it named. */
  "transferred",
  /** A machine answered: the agent hung up, or has left its message. */
  "voicemail",
  /** The caller said nothing for as long as the configuration allows. */
  "silence",
  "max_duration",
  /** `POST …/{id}/end`. */
  "requested",
  /** Nobody joined in time. */
  "never_joined",
  /** Whoever was called did not answer: `dial_status` says more. */
  "not_answered",
  /** A call that came in could not be taken: the team has no credit, or nothing here speaks the agent's language. */
  "refused",
  /** No recognizer, or no voice, was there when it was to begin. */
  "speech_unavailable",
  "llm_endpoint_failure",
  "room_lost",
  "error",
] as const;
export type EndReason = (typeof endReasons)[number];

/**
 * Milliseconds of one turn, from the caller's last voiced frame or typed message to the agent's first audible frame, or
 * first published text where the reply is text only; null is unknown.
 */
export interface TurnLatency {
  totalMs: number;
  endpointingMs: number | null;
  recognitionMs: number | null;
  /** From the request to the language model to its first text, waiting in the silence included. */
  modelFirstTokenMs: number | null;
  firstClauseMs: number | null;
  /** Null for a reply that is not spoken. */
  firstAudioMs: number | null;
}

interface Stamped {
  /** Unique; the same for a record that was sent twice. */
  id: string;
  /** Milliseconds since 1970. */
  atEpochMs: number;
}

/**
 * How a transfer ended: the destination took the caller, was busy, did not answer, or declined; the call to it failed;
 * or the caller or the conversation was gone before.
 */
export const transferOutcomes = ["transferred", "busy", "no_answer", "declined", "failed", "cancelled"] as const;
export type TransferOutcome = (typeof transferOutcomes)[number];

export type ToolSource = "client" | "webhook" | "builtin" | "background";

export type ConversationRecord = Stamped &
  (
    | { type: "taken"; runtimeId: string; attempt: number }
    /** Its runtime answers the caller no more, and holds what the caller does for the one that takes it. */
    | { type: "handed-over"; runtimeId: string }
    /** An outbound call is about to be dialed: nobody dials it after this. */
    | { type: "dialing" }
    /** What became of the dial. An answered call begins with it. `detail` is for operators. */
    | { type: "dial-resolved"; status: DialStatus; detail: string | null }
    /** Who answered, where the agent finds that out: once, after `caller-joined`. */
    | { type: "answerer-detected"; answeredBy: AnsweredBy }
    | { type: "caller-joined" }
    | { type: "caller-left" }
    /**
     * A whole turn of the caller, spoken or typed. Turns count from 1; the greeting is turn 0. `isTextOnly`: what the
     * agent says until the next turn is read, not heard; false when absent.
     */
    | { type: "caller-said"; turnId: number; text: string; isTextOnly?: boolean }
    /**
     * A reply began; whatever follows of it names it. `responder` says what answers, such as a model's name;
     * `isTextOnly` as in the turn that it answers.
     */
    | { type: "reply-started"; replyId: string; turnId: number; responder: string; isTextOnly?: boolean }
    /** Further text of a reply, as the model gave it. */
    | { type: "reply-text"; replyId: string; text: string }
    /** The model has given all of the reply. */
    | { type: "reply-complete"; replyId: string }
    /** The caller has heard so many UTF-16 units of the reply's text, one record for each word, or could read them. */
    | { type: "reply-heard"; replyId: string; characters: number }
    /** The reply is over: `text` is what was heard of it. */
    | { type: "reply-ended"; replyId: string; turnId: number; text: string; isInterrupted: boolean }
    | { type: "turn-latency"; turnId: number; latency: TurnLatency }
    | {
        type: "tool-called";
        callId: string;
        turnId: number;
        name: string;
        source: ToolSource;
        /** JSON, as the model wrote it. */
        input: string;
      }
    | {
        type: "tool-answered";
        callId: string;
        turnId: number;
        name: string;
        source: ToolSource;
        status: "completed" | "failed";
        output: string | null;
        isOutputTruncated: boolean;
        error: string | null;
        latencyMs: number | null;
      }
    /** The caller is about to be transferred: nobody asks for this transfer again. Transfers count from 1. */
    | { type: "transfer-started"; transferId: number; destination: string; phoneNumber: string; mode: TransferMode }
    /** What became of the dial of a warm transfer's leg. `detail` is for operators. */
    | { type: "transfer-dialed"; transferId: number; status: DialStatus; detail: string | null }
    /** Caller and destination talk to each other, and the agent is silent from then on. */
    | { type: "transfer-connected" }
    /** The transfer is over, or has failed; the leg of a warm one is hung up. `detail` is for operators. */
    | { type: "transfer-ended"; transferId: number; outcome: TransferOutcome; detail: string | null }
    | { type: "ended"; reason: EndReason; detail: string | null }
  );
