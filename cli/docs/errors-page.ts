import { errorCatalogue, type ErrorCode, ServiceError } from "#protocol/errors";
import { generatedNote, markdownTable } from "./markdown.js";

const shapes = { body: "`status`, `message`", bare: "no body", problems: "list of problems" };

/** `docs/errors.md`: the catalogue as callers see it. */
export function errorsPage(): string {
  const rows = (Object.keys(errorCatalogue) as ErrorCode[])
    .map((code) => ({ code, error: new ServiceError(code), entry: errorCatalogue[code] }))
    .sort((a, b) => a.error.status - b.error.status)
    .map(({ code, error, entry }) => [
      String(error.status),
      `\`${code}\``,
      entry.message,
      shapes[error.shape],
      error.retryable ? "yes" : "",
    ]);
  return [
    "# Errors",
    "",
    generatedNote("protocol/errors.ts"),
    "",
    "Every error that a caller can get, by HTTP status. `{name}` stands for a value of the case. A retryable error comes with `Retry-After`;",
    "the same request may succeed later. The code is the name in logs and metrics and between the roles; it never changes its meaning.",
    "",
    markdownTable(["Status", "Code", "Message", "Body", "Retryable"], rows),
    "",
  ].join("\n");
}
