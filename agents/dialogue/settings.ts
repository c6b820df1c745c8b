import type { eagernessLevels, interruptionSensitivities } from "#protocol/agents/config-values";

export type Eagerness = (typeof eagernessLevels)[number];
export type InterruptionSensitivity = (typeof interruptionSensitivities)[number];

/** How a tool's result comes back into the conversation. `client` tools are `blocking` or `fire_and_forget`. */
export type ToolMode = "blocking" | "fire_and_forget" | "background";

/** A tool as the dialogue knows it, by the function name that the model uses. */
export interface DialogueTool {
  mode: ToolMode;
  /** Who runs it; `builtin` is `hang_up_call` and `transfer_call`. */
  source: "client" | "webhook" | "builtin";
  /** It hands the caller over to somebody else, once the reply that calls it has been spoken. */
  transfers?: true;
  /** Whether it may safely be called again by a runtime that does not know whether it was (GET requests). */
  isRepeatable: boolean;
}

/** Hangs up, says a text after the beep, or what the model makes of an instruction. */
export type VoicemailAction =
  | { mode: "off" }
  | { mode: "fixed"; text: string }
  | { mode: "prompt"; instruction: string };

/** What a dialogue needs to know of the agent's configuration; times in milliseconds. */
export interface DialogueSettings {
  /** What the agent does where a machine answers its call; null where nobody finds out who answers. */
  voicemail: VoicemailAction | null;
  firstMessage: { mode: "off" } | { mode: "fixed"; text: string } | { mode: "prompt"; instruction: string };
  eagerness: Eagerness;
  isInterruptible: boolean;
  interruptionSensitivity: InterruptionSensitivity;
  /** BCP-47 primary subtag of the language that is spoken. */
  language: string;
  /** Whether the agent speaks up when the caller is silent, before it hangs up. */
  reengages: boolean;
  hangUpAfterMs: number;
  /** Whether it says goodbye before it hangs up on silence. */
  saysFarewell: boolean;
  maxDurationMs: number;
  /** How long a caller may be out of the room before the conversation ends. */
  absenceMs: number;
  tools: ReadonlyMap<string, DialogueTool>;
}
