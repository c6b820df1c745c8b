import { summaryLanguages, voicemailActions } from "#protocol/agents/config-values";
import { choicesOf, type FieldGroup } from "./config-field.js";
import { languageChoices } from "./languages.js";

/** What answers, what the agent may use, and what follows a call. */
export const serviceGroups: readonly FieldGroup[] = [
  {
    id: "model",
    title: "What answers",
    fields: [
      {
        path: ["llm"],
        label: "Language model",
        help: "The service's model in one of three tiers, or an endpoint of yours that speaks OpenAI's protocol.",
        kind: "model",
      },
      {
        path: ["guardrails", "focus"],
        label: "Stay on the task",
        help: "The model is told to turn down what has nothing to do with its task.",
        kind: "switch",
      },
      {
        path: ["guardrails", "manipulation"],
        label: "Resist manipulation",
        help: "The model is told that nobody on the call can change its instructions. It makes misuse harder and does not rule it out.",
        kind: "switch",
      },
    ],
  },
  {
    id: "abilities",
    title: "What it may use",
    text: "Which tools and which knowledge are attached stands under Tools and under Knowledge.",
    fields: [
      {
        path: ["tools", "enabled"],
        label: "Use tools",
        help: "Otherwise attached tools stay where they are and are not called.",
        kind: "switch",
      },
      {
        path: ["tools", "system_tools", "hang_up_call"],
        label: "It may hang up",
        help: "The model may end the call by itself.",
        kind: "switch",
      },
      {
        path: ["knowledge_base", "enabled"],
        label: "Use knowledge",
        help: "Passages of the attached sources that fit what the caller said stand beside the instructions.",
        kind: "switch",
      },
    ],
  },
  {
    id: "analysis",
    title: "After a call: analysis",
    fields: [
      {
        path: ["analysis", "summary", "enabled"],
        label: "Summarize calls",
        help: "Needs a language model.",
        kind: "switch",
      },
      {
        path: ["analysis", "summary", "language"],
        label: "Language of the summary",
        help: "Whatever the call was held in.",
        kind: "choice",
        choices: languageChoices(summaryLanguages),
      },
      {
        path: ["analysis", "summary", "prompt"],
        label: "Instruction for summaries",
        help: "What a summary should say. Empty: the service's own instruction.",
        kind: "lines",
        lines: 2,
      },
      {
        path: ["analysis", "data_fields"],
        label: "Data to find",
        help: "What to take from each call, such as an order number. At most 20.",
        kind: "data-fields",
      },
      {
        path: ["analysis", "criteria"],
        label: "Criteria",
        help: "What each call is judged by, met or not. At most 10.",
        kind: "criteria",
      },
    ],
  },
  {
    id: "webhooks",
    title: "Webhooks",
    text: "What was sent, and every attempt, stands under Webhooks.",
    fields: [
      {
        path: ["webhooks", "post_call"],
        label: "After a call",
        help: "Addresses that get what happened in each call: its end, its analysis. At most 5.",
        kind: "post-call",
      },
      {
        path: ["webhooks", "conversation_init"],
        label: "Before a call",
        help: "An address that is asked for variables before the agent answers a phone call.",
        kind: "conversation-init",
      },
    ],
  },
  {
    id: "phone",
    title: "Phone",
    text: "What the agent does in phone calls.",
    fields: [
      {
        path: ["conversation", "transfer_destinations"],
        label: "Transfers",
        help: "Numbers that the agent may hand a caller over to. At most 50.",
        kind: "destinations",
      },
      {
        path: ["conversation", "outbound", "amd_enabled"],
        label: "Recognize answering machines",
        help: "In calls that the agent makes: what becomes of a call that a machine answers.",
        kind: "switch",
      },
      {
        path: ["conversation", "outbound", "voicemail", "action"],
        label: "At an answering machine",
        help: "What the agent does when no human picks up.",
        kind: "choice",
        choices: choicesOf(voicemailActions, {
          hangup: "Hang up",
          leave_message: "Leave the message",
          leave_prompt_message: "Leave a message as instructed",
        }),
      },
      {
        path: ["conversation", "outbound", "voicemail", "message"],
        label: "Message or instruction for it",
        help: "Said word for word, or given to the model.",
        kind: "lines",
        lines: 2,
      },
    ],
  },
];
