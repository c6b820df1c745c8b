/** One instruction of a Dockerfile, with its continuation lines joined and without comments. */
export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  name: string;
  /** An image, or an earlier stage. */
  from: string;
  instructions: Instruction[];
}

/** The stages of a Dockerfile, in their order. */
export function readStages(text: string): Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Stage[] = [];
  for (const line of lines) {
    const [name = "", ...words] = line.trim().split(" ");
    const rest = words.join(" ").trim();
    if (name === "FROM") {
      const [from = "", , stage = ""] = rest.split(" ");
      stages.push({ name: stage, from, instructions: [] });
    } else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

/** What a stage says last under a name that replaces what was said before, such as CMD. */
export const lastOf = (stage: Stage, name: string): string =>
  stage.instructions.filter((instruction) => instruction.name === name).at(-1)?.text ?? "";

/** The environment of a stage's containers. */
export const environmentOf = (stage: Stage): Record<string, string> =>
  Object.fromEntries(
    stage.instructions
      .filter(({ name }) => name === "ENV")
      .flatMap(({ text }) =>
        text.split(" ").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
      ),
  ) as Record<string, string>;
