import { declaration } from "#common/config/config";
import type { Setting } from "#common/config/setting";
import { generatedNote, markdownTable } from "./markdown.js";

const settings = Object.entries(declaration as Record<string, Setting<unknown>>);

/** `docs/configuration.md`. */
export function configurationPage(): string {
  return [
    "# Configuration",
    "",
    generatedNote("common/config/config.ts"),
    "",
    "Every setting is an environment variable, and every one is optional. A value can also be given as a file: `NAME_FILE` holds the path of",
    "a file whose trimmed content is the value, for secrets. A file `.env` in the project folder is read too; the environment goes first.",
    "An unknown `PARLEY_*` name or an invalid value stops the start with its name. `parley config` shows the values in effect.",
    "",
    markdownTable(
      ["Variable", "Default", "Kind", "Meaning"],
      settings.map(([name, setting]) => [
        `\`${name}\``,
        setting.defaultText === "" ? "" : `\`${setting.defaultText}\``,
        setting.kind,
        setting.doc,
      ]),
    ),
    "",
  ].join("\n");
}

/** `.env.example`: every setting, commented out, with its default. */
export function exampleEnvironment(): string {
  return [
    "# Copy to .env and change what you need; every setting is optional. Meaning and bounds: docs/configuration.md.",
    "# Generated from common/config/config.ts by `npm run docs`.",
    "",
    ...settings.flatMap(([name, setting]) => [`# ${setting.doc}`, `#${name}=${setting.defaultText}`, ""]),
  ].join("\n");
}
