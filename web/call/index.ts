/* What the package exports (docs/widget.md "Your own interface"). */
export { Call } from "./call.js";
export { readSession } from "./anonymous-session.js";
export { CallFailure } from "./call-failure.js";
export type { CallFailureCode } from "./call-failure.js";
export type { CallEvents } from "./agent-call.js";
export type { ToolActivity, ToolRequest } from "./agent-event.js";
export type { CallOptions, StartedSession, StartSession } from "./call-options.js";
export type { CallEnd, CallState } from "./call-state.js";
export type { Caption } from "./caption.js";
export type { ToolCall, ToolFunction } from "./client-tools.js";
