import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "#protocol/errors";

export interface DocumentedError {
  status: number;
  body: "bare" | "message" | "problems";
  /** What the message must match, whole. */
  message: RegExp;
}

/** The catalogue as callers read it, docs/errors.md: the table is the source of what is expected here, not the code. */
const rows = new Map(
  readFileSync(join(import.meta.dirname, "../../../docs/errors.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, status = "", code = "", message = "", body = ""] =
        /^\| (\d{3}) \| `(\w+)` \| (.*?) \| (.*?) \|/.exec(line) ?? [];
      return code === ""
        ? []
        : [[code, { status: Number(status), body: bodyKind(body), message: templatePattern(message) }] as const];
    }),
);

export function documentedError(code: ErrorCode): DocumentedError {
  const row = rows.get(code);
  if (row === undefined) throw new Error(`docs/errors.md has no row ${code}`);
  return row;
}

function bodyKind(cell: string): DocumentedError["body"] {
  if (cell === "no body") return "bare";
  return cell === "list of problems" ? "problems" : "message";
}

function templatePattern(template: string): RegExp {
  const literal = template.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\\\{\w+\\\}/g, "[^]{1,300}")}$`);
}
