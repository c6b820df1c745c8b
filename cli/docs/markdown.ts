/** First line of every generated page. */
export function generatedNote(source: string): string {
  return `<!-- Generated from ${source} by \`npm run docs\`; change it there. -->`;
}

/** A table in GitHub's Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
