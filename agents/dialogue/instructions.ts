import type { DialogueSettings } from "./settings.js";

/** Why the model is asked. */
export type Purpose = "turn" | "greeting" | "reengage" | "farewell" | "deliver" | "voicemail";

const instructions: Readonly<Record<Exclude<Purpose, "turn" | "greeting" | "voicemail">, string>> = {
  reengage:
    "The caller has been silent for a while. Check in one short sentence whether the caller is still there, or ask again what is still open. Do not repeat earlier sentences word for word.",
  farewell: "The caller does not answer any more and the call ends now. Say goodbye in one short sentence.",
  deliver:
    "A tool that ran in the background has finished; its result now stands in the conversation at its call. Tell the caller what matters in it, briefly, and go on from there.",
};

/** What the model is told for one request besides the conversation; null is nothing. */
export function instructionFor(purpose: Purpose, settings: DialogueSettings): string | null {
  if (purpose === "turn") return null;
  if (purpose === "voicemail") return voicemailInstruction(settings);
  if (purpose !== "greeting") return instructions[purpose];
  return settings.firstMessage.mode === "prompt" ? settings.firstMessage.instruction : null;
}

function voicemailInstruction({ voicemail }: DialogueSettings): string | null {
  if (voicemail?.mode !== "prompt") return null;
  return `An answering machine has answered the call, and records after its beep. Say the message to leave on it, in full and at once, and nothing else. ${voicemail.instruction}`;
}

/** For an answer that broke off when its runtime was lost. */
export const CONTINUE =
  "Your last message broke off in the middle; the caller hears all of it. Continue exactly where it ends, without repeating any of it and without mentioning the break. If it is complete, answer with nothing.";
