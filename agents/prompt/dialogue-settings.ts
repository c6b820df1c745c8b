import { defaultOutbound } from "#protocol/agents/config";
import { type ConversationPlan, detectsAnswerer } from "#protocol/bus/conversation";
import type { DialogueSettings, DialogueTool, VoicemailAction } from "../dialogue/settings.js";
import { type NamedTool, namedTools, TRANSFER_TOOL } from "../tools/named-tools.js";
import { fillVariables } from "./variables.js";

/** How long a caller may be out of the room: time to change from one network to another, not to make coffee. */
const ABSENCE_MS = 20_000;
/** The same of a phone line, which comes back only where LiveKit SIP lost the room for a moment. */
const LINE_ABSENCE_MS = 5000;

/** What an agent's configuration means for the dialogue; texts have their variables filled. Pure. */
export function dialogueSettingsOf(plan: ConversationPlan): DialogueSettings {
  const { conversation, voice } = plan.config;
  return {
    voicemail: detectsAnswerer(plan) ? voicemailOf(plan) : null,
    firstMessage: firstMessageOf(plan),
    eagerness: conversation.eagerness,
    isInterruptible: conversation.interruptible,
    interruptionSensitivity: conversation.interruption_sensitivity,
    language: voice.speaking_language,
    reengages: conversation.reengage_enabled,
    hangUpAfterMs: conversation.hangup_after_seconds * 1000,
    saysFarewell: conversation.hangup_farewell_enabled,
    maxDurationMs: plan.maxDurationMs,
    absenceMs: plan.call === undefined ? ABSENCE_MS : LINE_ABSENCE_MS,
    tools: new Map([...namedTools(plan)].map(([name, tool]) => [name, dialogueTool(tool)])),
  };
}

/** A first message without text is none. */
function firstMessageOf(plan: ConversationPlan): DialogueSettings["firstMessage"] {
  const { first_message_mode: mode, first_message: message, first_message_prompt: prompt } = plan.config.prompt;
  const [text, instruction] = [fillVariables(message, plan).trim(), fillVariables(prompt, plan).trim()];
  if (mode === "fixed" && text !== "") return { mode, text };
  if (mode === "prompt" && instruction !== "") return { mode, instruction };
  return { mode: "off" };
}

/** A message without text is none: the agent hangs up. */
function voicemailOf(plan: ConversationPlan): VoicemailAction {
  const { action, message } = plan.config.conversation.outbound?.voicemail ?? defaultOutbound.voicemail;
  const text = fillVariables(message, plan).trim();
  if (action === "hangup" || text === "") return { mode: "off" };
  return action === "leave_message" ? { mode: "fixed", text } : { mode: "prompt", instruction: text };
}

function dialogueTool(named: NamedTool): DialogueTool {
  // What becomes of a transfer is told in a pause, as results of the background are.
  if (named.kind === "builtin" && named.name === TRANSFER_TOOL)
    return { mode: "background", source: "builtin", isRepeatable: false, transfers: true };
  if (named.kind === "builtin") return { mode: "blocking", source: "builtin", isRepeatable: true };
  const { tool, definition } = named;
  if (tool.toolType === "client")
    return {
      mode: definition.expects_response ? "blocking" : "fire_and_forget",
      source: "client",
      isRepeatable: false,
    };
  return { mode: definition.execution_mode, source: "webhook", isRepeatable: definition.method === "GET" };
}
