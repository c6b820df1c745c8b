/** What a call is at. `ended` and `failed` are for good. */
export type CallState = "idle" | "connecting" | "listening" | "thinking" | "speaking" | "ended" | "failed";

/** Who hung up. */
export type CallEnd = "user" | "agent";

/** What changes the state of a call. */
export type CallStateInput =
  | { type: "started" }
  /** `lk.agent.state` of the agent in the room; null while there is none. */
  | { type: "agent"; state: string | null }
  | { type: "ended" }
  | { type: "failed" };

const agentStates: Readonly<Record<string, CallState>> = {
  idle: "listening",
  listening: "listening",
  thinking: "thinking",
  speaking: "speaking",
};

/** The state that follows. An agent that says nothing of itself yet, or something unknown, is being waited for. */
export function nextCallState(state: CallState, input: CallStateInput): CallState {
  if (state === "ended" || state === "failed") return state;
  if (input.type === "started") return "connecting";
  if (input.type === "agent") return state === "idle" ? state : (agentStates[input.state ?? ""] ?? "connecting");
  return input.type;
}

/** Whether an agent is there and takes what is said and written. */
export const isReady = (state: CallState): boolean => ["listening", "thinking", "speaking"].includes(state);

/** Whether the call is under way, or about to be. */
export const isUnderWay = (state: CallState): boolean => state === "connecting" || isReady(state);
