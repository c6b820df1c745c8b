import type { ConversationPlan } from "#protocol/bus/conversation";
import { type SystemVariable, systemVariables } from "#protocol/tools";
import { dateIn, zoneOf } from "./local-time.js";

const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Fills `{{name}}` with the session's dynamic variables and `{{system.name}}` with its system variables; what names
 * neither stays as it is. Values are data: what looks like a placeholder in one is not filled. Pure.
 */
export function fillVariables(text: string, plan: ConversationPlan): string {
  const system = systemValues(plan);
  return text.replace(placeholder, (whole, inside: string) => {
    const name = inside.trim();
    if (name.startsWith("system.")) {
      const known = systemVariables.find((variable) => variable === name.slice("system.".length));
      return known === undefined ? whole : (system[known] ?? "");
    }
    return Object.hasOwn(plan.dynamicVariables, name) ? (plan.dynamicVariables[name] ?? "") : whole;
  });
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
