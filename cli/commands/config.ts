import { declaration, loadConfig } from "#common/config/config";
import type { Setting } from "#common/config/setting";
import { type Command, exitCodes } from "../command.js";

export const configCommand: Command = {
  name: "config",
  arguments: "",
  summary: "Shows every setting, its value, and where it comes from.",
  details: ["What a setting means: docs/configuration.md."],
  options: { json: { type: "boolean", doc: "As JSON." } },
  run(terminal, _, values) {
    const rows = effectiveSettings(terminal.environment);
    const width = Math.max(...rows.map((row) => row.name.length));
    const text =
      values.json === true
        ? JSON.stringify(rows, null, 2)
        : rows.map((row) => `${row.name.padEnd(width)}  ${row.value}  (${row.source})`).join("\n");
    terminal.stdout.write(`${text}\n`);
    return Promise.resolve(exitCodes.ok);
  },
};

export interface EffectiveSetting {
  name: string;
  /** Secrets are shown as dots. */
  value: string;
  /** `default`, `environment`, or the file that it was read from. */
  source: string;
}

/** Every declared setting as the product would take it now. Throws ConfigError when the environment is invalid. */
function effectiveSettings(environment: Record<string, string | undefined>): EffectiveSetting[] {
  const config: Record<string, unknown> = loadConfig(environment);
  return Object.entries(declaration as Record<string, Setting<unknown>>).map(([name, setting]) => {
    const source = sourceOf(environment, name);
    return { name, value: setting.secret && config[name] !== null ? "••••••" : show(config[name]), source };
  });
}

function sourceOf(environment: Record<string, string | undefined>, name: string): string {
  const file = environment[`${name}_FILE`];
  if (file !== undefined && file !== "") return `file ${file}`;
  const value = environment[name];
  return value === undefined || value === "" ? "default" : "environment";
}

function show(value: unknown): string {
  if (value === null) return "not set";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(",");
  if (typeof value === "object")
    return (
      Object.entries(value as object)
        .map(([key, item]) => `${key}=${String(item)}`)
        .join(",") || "none"
    );
  return withoutPassword(String(value));
}

/** A URL's password is a secret wherever the URL stands. */
function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.password === "") return text;
  url.password = "••••••";
  return decodeURI(url.href);
}
