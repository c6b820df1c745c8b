import { join } from "node:path";
import { type LicensedPart, readLicences } from "../licences/licences.js";
import { type Command, exitCodes } from "../command.js";
import { textTable } from "../table.js";

export const licencesCommand: Command = {
  name: "licences",
  arguments: "",
  summary: "Lists what is inside this installation, and under which licences.",
  details: ["Of the base image's packages /usr/share/doc/*/copyright tells."],
  options: {
    texts: { type: "boolean", doc: "The texts of the licences too." },
    json: { type: "boolean", doc: "As JSON, without the texts." },
  },
  run(terminal, _, values) {
    const parts = readLicences(join(terminal.distDirectory, ".."));
    if (values.json === true)
      terminal.stdout.write(
        `${JSON.stringify(
          parts.map(({ texts: __, ...part }) => part),
          null,
          2,
        )}\n`,
      );
    else terminal.stdout.write(tableOf(parts));
    if (values.texts === true && values.json !== true) for (const part of parts) terminal.stdout.write(textsOf(part));
    return Promise.resolve(exitCodes.ok);
  },
};

const tableOf = (parts: readonly LicensedPart[]): string =>
  textTable([["NAME", "VERSION", "LICENCE"], ...parts.map(({ name, version, licence }) => [name, version, licence])]);

function textsOf({ name, version, licence, texts }: LicensedPart): string {
  const rule = "-".repeat(80);
  const shown = texts.length === 0 ? [`It brings no text of its licence, ${licence}.`] : texts;
  return ["", rule, `${name} ${version} (${licence})`, rule, "", ...shown, ""].join("\n");
}
