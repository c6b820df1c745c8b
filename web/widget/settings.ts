import type { Words } from "./words/words.js";
import { chooseWords } from "./words/choose-words.js";

const positions = ["bottom-right", "bottom-left", "top-right", "top-left", "inline"] as const;

/** Where the widget stands in the window, or that it stands where its element does. */
export type Position = (typeof positions)[number];

/** What the element's attributes say. */
export interface WidgetSettings {
  agentId: string;
  serverUrl: string;
  position: Position;
  /** Any CSS colour; null is the widget's own. */
  colour: string | null;
  /** Address of a picture of the agent. */
  avatar: string | null;
  /** Goes before the name that the agent has. */
  agentName: string | null;
  language: string;
  words: Words;
  dynamicVariables: Record<string, string | number | boolean> | undefined;
  endUserId: string | undefined;
  metadata: Record<string, unknown> | undefined;
  /** What the attributes say wrong, for whoever wrote the page. */
  problems: readonly string[];
}

/** What the page and its reader say where the attributes do not. */
export interface SettingsDefaults {
  /** Where the script came from; null where that cannot be known. */
  serverUrl: string | null;
  /** BCP 47 tags, the best one first. */
  languages: readonly string[];
}

/** Attributes that change the widget when they are changed. */
export const attributeNames = [
  "agent-id",
  "agent-name",
  "server-url",
  "position",
  "open",
  "colour",
  "avatar",
  "labels",
  "lang",
  "dynamic-variables",
  "end-user-id",
  "metadata",
] as const;
export type AttributeName = (typeof attributeNames)[number];

/** Reads the attributes. What cannot be used is left out, and named in `problems`. */
export function readSettings(
  attribute: (name: AttributeName) => string | null,
  defaults: SettingsDefaults,
): WidgetSettings {
  const problems: string[] = [];
  const readObject = (name: AttributeName): Record<string, unknown> | undefined => {
    const text = attribute(name);
    const value = text === null || text === "" ? undefined : parseObject(text);
    if (value === null) problems.push(`${name} is no JSON object`);
    return value ?? undefined;
  };
  const agentId = attribute("agent-id") ?? "";
  if (agentId === "") problems.push("agent-id is missing");
  const serverUrl = attribute("server-url") ?? defaults.serverUrl ?? "";
  if (!URL.canParse(serverUrl)) problems.push("server-url is missing, or no address");
  const position = positions.find((name) => name === attribute("position"));
  if (position === undefined && attribute("position") !== null)
    problems.push(`position is none of ${positions.join(", ")}`);
  const { language, words } = chooseWords([attribute("lang") ?? "", ...defaults.languages]);
  const { words: labelled, unknown } = withLabels(words, readObject("labels") ?? {});
  problems.push(...unknown.map((name) => `labels has no ${name}`));
  return {
    agentId,
    serverUrl,
    position: position ?? "bottom-right",
    colour: attribute("colour"),
    avatar: attribute("avatar"),
    agentName: attribute("agent-name"),
    language,
    words: labelled,
    dynamicVariables: readObject("dynamic-variables") as WidgetSettings["dynamicVariables"],
    endUserId: attribute("end-user-id") ?? undefined,
    metadata: readObject("metadata"),
    problems,
  };
}

/** Words with some of them replaced; a failure's by its code. `unknown`: labels of things that the widget never says. */
function withLabels(words: Words, labels: Record<string, unknown>): { words: Words; unknown: string[] } {
  const entries = Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const ofFailures = entries.filter(([name]) => Object.hasOwn(words.failures, name));
  const others = entries.filter(([name]) => Object.hasOwn(words, name) && name !== "failures");
  const known = [...ofFailures, ...others].map(([name]) => name);
  return {
    words: {
      ...words,
      ...Object.fromEntries(others),
      failures: { ...words.failures, ...Object.fromEntries(ofFailures) },
    },
    unknown: Object.keys(labels).filter((name) => !known.includes(name)),
  };
}

/** Null for what is none. */
function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // Whoever wrote the page reads of it.
    return null;
  }
}
