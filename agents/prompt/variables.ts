import type { ConversationPlan } from "#protocol/bus/conversation";
import { type SystemVariable, systemVariables } from "#protocol/tools";
import { dateIn, zoneOf } from "#common/text/local-time";
import { parseTemplate } from "#tools/template";

/**
 * Fills `{{name}}` with the session's dynamic variables and `{{system.name}}` with its system variables; what names
 * neither stays as it is. Values are data: what looks like a placeholder in one is not filled. Pure.
 */
export function fillVariables(text: string, plan: ConversationPlan): string {
  const system = systemValues(plan);
  const readValue = (name: string): string | undefined => {
    if (!name.startsWith("system."))
      return Object.hasOwn(plan.dynamicVariables, name) ? plan.dynamicVariables[name] : undefined;
    const known = systemVariables.find((variable) => variable === name.slice("system.".length));
    return known === undefined ? undefined : (system[known] ?? "");
  };
  return parseTemplate(text)
    .map((part) => (part.kind === "placeholder" ? (readValue(part.name) ?? part.text) : part.text))
    .join("");
}

/**
 * The values of the system variables for the whole session: what the plan gives, and for the rest what it implies. The
 * date is the one on which the session was created. Pure.
 */
export function systemValues(plan: ConversationPlan): Partial<Record<SystemVariable, string>> {
  const implied: Partial<Record<SystemVariable, string>> = {
    channel: "web_voice",
    timezone: zoneOf(plan.timezone),
    today: dateIn(plan.timezone, new Date(plan.createdAtEpochMs)),
    language: plan.config.voice.speaking_language,
  };
  return { ...implied, ...plan.system };
}
