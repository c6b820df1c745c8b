interface Rows {
  text(): string;
}

interface Session {
  queryBindAsync(statement: string, parameters: Record<string, string>, options: { format: string }): Promise<Rows>;
  queryAsync(statement: string, options: { format: string }): Promise<Rows>;
}

// Not imported by name: the package is there for `npm test` only, and the build must do without.
const packageName: string = "chdb";
const { Session: ChdbSession } = (await import(packageName)) as { Session: new (path: string) => Session };

/** The engine of one test's ClickHouse: runs the statements that its parent sends, each with its answer. */
const session = new ChdbSession(process.argv[2] ?? "");

process.on(
  "message",
  ({ id, statement, parameters }: { id: number; statement: string; parameters: Record<string, string> }) => {
    const hasParameters = Object.keys(parameters).length > 0;
    const result = hasParameters
      ? session.queryBindAsync(statement, parameters, { format: "JSONEachRow" })
      : session.queryAsync(statement, { format: "CSV" });
    result.then(
      (rows) => process.send?.({ id, ok: true, text: rows.text() }),
      (error: unknown) => process.send?.({ id, ok: false, text: String(error) }),
    );
  },
);
process.on("disconnect", () => process.exit(0));
