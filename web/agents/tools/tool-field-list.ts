import { systemVariables } from "#protocol/tools";
import { choicesOf, type ConfigField } from "../editor/config-field.js";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const variables = systemVariables.map((name) => `{{system.${name}}}`).join(", ");

/** What runs a tool; it stays what it was made as. */
export const typeField: ConfigField = {
  path: ["tool_type"],
  label: "What runs it",
  help: "This cannot be changed later.",
  kind: "choice",
  choices: choicesOf(["webhook", "client", "integration"] as const, {
    webhook: "An address that Parley calls",
    client: "The program or page of the caller",
    integration: "A connected service",
  }),
};

/** What the model learns of a tool. */
export const identityFields: readonly ConfigField[] = [
  {
    path: ["name"],
    label: "Name",
    help: "The model chooses by it. Tools of callers' programs: a letter, then letters, digits, _ and -.",
    kind: "text",
  },
  {
    path: ["description"],
    label: "Description",
    help: "Tells the model when to use it and what it gives.",
    kind: "lines",
    lines: 3,
  },
  {
    path: ["integration"],
    label: "Service and action",
    help: "Joined by a colon, such as calendar:create_event.",
    kind: "text",
  },
];

/** What a webhook tool sends. */
export const requestFields: readonly ConfigField[] = [
  {
    path: ["method"],
    label: "Method",
    help: "Of the HTTP request.",
    kind: "choice",
    choices: methods.map((method) => ({ value: method, label: method })),
  },
  {
    path: ["url"],
    label: "Address",
    help: `Begins with https://. {{name}} stands for an argument in its path and query, and so do ${variables}.`,
    kind: "text",
  },
  { path: ["content_type"], label: "Kind of body", help: "A media type, such as application/json.", kind: "text" },
  {
    path: ["body_template"],
    label: "Body",
    help: "With {{name}} for arguments. Empty: the request has no body.",
    kind: "lines",
    lines: 5,
  },
];

/** How its answer is waited for and used. */
export const answerFields: readonly ConfigField[] = [
  {
    path: ["execution_mode"],
    label: "While it runs",
    help: "Whether the agent waits for the answer, goes on without it, or goes on and takes it up when it comes.",
    kind: "choice",
    choices: choicesOf(["blocking", "fire_and_forget", "background"] as const, {
      blocking: "The agent waits",
      fire_and_forget: "Nobody waits for an answer",
      background: "The agent talks on",
    }),
  },
  {
    path: ["timeout_seconds"],
    label: "Wait at most, seconds",
    help: "From 1 to 120; to 300 where the agent talks on.",
    kind: "number",
  },
  {
    path: ["expects_response"],
    label: "Answers",
    help: "Otherwise the caller's program is told and asked for nothing.",
    kind: "switch",
  },
  {
    path: ["error_handling"],
    label: "When it fails",
    help: "What the model reads of a failure.",
    kind: "choice",
    choices: choicesOf(["passthrough", "hide"] as const, {
      passthrough: "The answer as it came",
      hide: "Only that it failed",
    }),
  },
];
