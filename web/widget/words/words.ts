import type { CallFailureCode } from "../../call/call-failure.js";

/** Everything that the widget says. */
export interface Words {
  /** Its name where the agent's is not known. */
  title: string;
  open: string;
  close: string;
  start: string;
  end: string;
  mute: string;
  /** Opens the microphone of a call that began in writing. */
  microphone: string;
  write: string;
  send: string;
  transcript: string;
  you: string;
  agent: string;
  idle: string;
  connecting: string;
  listening: string;
  muted: string;
  thinking: string;
  speaking: string;
  ended: string;
  failures: Readonly<Record<CallFailureCode, string>>;
}
