import type { Chart } from "./chart.js";
import type { PublishedRow } from "./published-row.js";

/** A place of a page that one scenario's row fills. */
const block = /<!-- bench ([\w-]+) -->\n[^<]*<!-- \/bench -->/g;

/** Names of the scenarios that have a place in a page. */
export function scenariosOf(page: string): string[] {
  return [...page.matchAll(block)].flatMap(([, name]) => name ?? []);
}

/** The page with each of its blocks written anew from its row. */
export function withRows(page: string, rowOf: (scenario: string) => PublishedRow | null): string {
  return page.replaceAll(block, (_, name: string) => {
    const row = rowOf(name);
    return `<!-- bench ${name} -->\n${row === null ? "Not measured.\n" : textOf(name, row)}<!-- /bench -->`;
  });
}

/** The file of a chart, beside the row that it was drawn from. */
export function chartFile(scenario: string, { name }: Chart): string {
  return `${scenario}-${name}.svg`;
}

function textOf(name: string, { machine, startedAt, invalid, page, charts }: PublishedRow): string {
  const day = new Date(startedAt).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  const commit = `commit ${machine.commit}${machine.changed ? " with changes" : ""}`;
  const where = `${machine.processor}, ${machine.cores} cores, Node.js ${machine.node}`;
  const validity = invalid.length === 0 ? "Valid." : `**Invalid**: ${invalid.join("; ")}.`;
  // A block ends at the first "<".
  const figures = page.replaceAll("<", "‹");
  const images = charts.map((one) => `\n![${one.title}](benchmarks/${chartFile(name, one)})\n`).join("");
  return `\`npm run bench -- ${name}\`, ${commit}, ${day}, ${where}. ${validity}\n\n\`\`\`text\n${figures}\n\`\`\`\n${images}`;
}
