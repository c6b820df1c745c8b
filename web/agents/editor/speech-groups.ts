import {
  eagernessLevels,
  firstMessageModes,
  interruptionSensitivities,
  speakingLanguages,
} from "#protocol/agents/config-values";
import { choicesOf, type FieldGroup } from "./config-field.js";
import { languageChoices } from "./languages.js";

/** What the agent says, how it sounds, and how it takes turns. */
export const speechGroups: readonly FieldGroup[] = [
  {
    id: "prompt",
    title: "What it does and says first",
    fields: [
      {
        path: ["prompt", "system_prompt"],
        label: "Instructions",
        help: "Who the agent is, what it does and what it leaves. {{name}} stands for a session's variable. At most 4000 tokens; fewer than 2000 answer faster.",
        kind: "lines",
        lines: 10,
      },
      {
        path: ["prompt", "first_message_mode"],
        label: "How a call begins",
        help: "The agent says a fixed message, greets as its instruction for greetings says, or waits for the caller.",
        kind: "choice",
        choices: choicesOf(firstMessageModes, {
          off: "It waits for the caller",
          fixed: "It says the first message",
          prompt: "It greets as instructed",
        }),
      },
      {
        path: ["prompt", "first_message"],
        label: "First message",
        help: "Said word for word where a call begins with it. The responder without a language model always says it.",
        kind: "lines",
        lines: 2,
      },
      {
        path: ["prompt", "first_message_prompt"],
        label: "Instruction for greetings",
        help: "What the model is asked to say first, where it greets as instructed.",
        kind: "lines",
        lines: 2,
      },
    ],
  },
  {
    id: "voice",
    title: "Voice and language",
    fields: [
      {
        path: ["voice", "speaking_language"],
        label: "Language",
        help: "The agent speaks it, and understands callers in it.",
        kind: "choice",
        choices: languageChoices(speakingLanguages),
      },
      {
        path: ["voice", "voice_id"],
        label: "Voice",
        help: "A voice that is gone is replaced by the service's own.",
        kind: "voice",
      },
      {
        path: ["voice", "expressive"],
        label: "Expressive",
        help: "The model may write tags that change how a sentence is spoken.",
        kind: "switch",
      },
    ],
  },
  {
    id: "turns",
    title: "Taking turns",
    fields: [
      {
        path: ["conversation", "eagerness"],
        label: "When it answers",
        help: "How much silence ends the caller's turn; longer after half a sentence, shorter after a complete short answer.",
        kind: "choice",
        choices: choicesOf(eagernessLevels, {
          relaxed: "Relaxed, after about 900 ms",
          balanced: "Balanced, after about 550 ms",
          eager: "Eager, after about 300 ms",
        }),
      },
      {
        path: ["conversation", "interruptible"],
        label: "Callers may interrupt it",
        help: "Otherwise the agent finishes what it says, and what the caller says meanwhile is the next turn.",
        kind: "switch",
      },
      {
        path: ["conversation", "interruption_sensitivity"],
        label: "What counts as an interruption",
        help: "The agent falls silent as soon as the caller speaks; this says when it goes on after all.",
        kind: "choice",
        choices: choicesOf(interruptionSensitivities, {
          low: "Three words or more",
          balanced: "A word that is more than “mhm”",
          high: "Any voice of 300 ms or more",
        }),
      },
      {
        path: ["conversation", "reengage_enabled"],
        label: "Ask silent callers",
        help: "Asks a caller who says nothing whether they are there, at most twice in a row.",
        kind: "switch",
      },
    ],
  },
  {
    id: "call",
    title: "The call",
    fields: [
      {
        path: ["conversation", "max_duration_seconds"],
        label: "Longest call, seconds",
        help: "From 60 to 3600. The call ends then; what is being said may take 10 seconds more.",
        kind: "number",
      },
      {
        path: ["conversation", "hangup_after_seconds"],
        label: "Hang up after silence, seconds",
        help: "From 10 to 3600. The caller has said nothing for so long.",
        kind: "number",
      },
      {
        path: ["conversation", "hangup_farewell_enabled"],
        label: "Say goodbye before hanging up",
        help: "Where the caller is silent for too long.",
        kind: "switch",
      },
      { path: ["conversation", "record_audio"], label: "Record both sides", help: "Previews too.", kind: "switch" },
      {
        path: ["conversation", "timezone"],
        label: "Time zone",
        help: "For date and time in the instructions, such as Europe/Berlin. Empty: the caller's, else UTC.",
        kind: "text",
      },
    ],
  },
];
