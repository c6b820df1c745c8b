import { figureText, isMet } from "./aim.js";
import type { Chart } from "./chart.js";
import type { PublishedRow } from "./published-row.js";

/** A place of a page that one scenario's row fills. */
const block = /<!-- bench ([\w-]+) -->\n[^<]*<!-- \/bench -->/g;

/** The place of the table of everything that is aimed at. */
const aimsBlock = /<!-- aims -->\n[^<]*<!-- \/aims -->/;

/** Names of the scenarios that have a place in a page. */
export function scenariosOf(page: string): string[] {
  return [...page.matchAll(block)].flatMap(([, name]) => name ?? []);
}

/** The page with each of its blocks written anew from its row, and the table of aims from all of them. */
export function withRows(page: string, rowOf: (scenario: string) => PublishedRow | null): string {
  const rows = scenariosOf(page).map((name) => ({ name, row: rowOf(name) }));
  return page
    .replace(aimsBlock, () => `<!-- aims -->\n${aimsTable(rows)}<!-- /aims -->`)
    .replaceAll(block, (_, name: string) => {
      const row = rowOf(name);
      return `<!-- bench ${name} -->\n${row === null ? "Not measured.\n" : textOf(name, row)}<!-- /bench -->`;
    });
}

/** Every aim of every row, in the page's order; a row that may not be quoted says so. */
function aimsTable(rows: readonly { name: string; row: PublishedRow | null }[]): string {
  const lines = rows.flatMap(({ name, row }) =>
    (row?.aims ?? []).map((one) => {
      const measured = one.value === null ? "–" : figureText(one.value);
      const verdict = `${isMet(one) ? "met" : "**missed**"}${row?.invalid.length === 0 ? "" : ", invalid row"}`;
      return `| ${one.measure} | ${measured} | ${one.bound} ${one.limit} | ${verdict} | [${name}](#${name}) |\n`;
    }),
  );
  if (lines.length === 0) return "No row has been measured yet.\n";
  return `\n| | measured | aim | | scenario |\n|---|---|---|---|---|\n${lines.join("")}\n`;
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
