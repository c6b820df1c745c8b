import type { Answer, ScriptedRequest } from "#agents/model/testing/scripted-endpoint";

const stop = { finish: "stop", usage: { prompt_tokens: 1000, completion_tokens: 100 } } as const;

/** Answers as a model would that analyzes calls, by what the caller said. */
export function analysisAnswer(request: ScriptedRequest): Answer {
  const asked = request.messages.map(({ content }) => content ?? "").join("\n");
  if (asked.includes("unreadable")) return [{ text: "It went well." }, stop];
  if (asked.includes("second try") && !asked.includes("This answer cannot be used")) return [{ text: "{}" }, stop];
  if (asked.includes("refused")) return { status: 401 };
  const properties = (request.response_format?.json_schema.schema["properties"] ?? {}) as Record<string, object>;
  const answer = Object.fromEntries(
    Object.entries(properties).map(([part, schema]) => [part, part === "summary" ? "They talked." : named(schema)]),
  );
  return [{ text: JSON.stringify(answer) }, stop];
}

/** What the schema wants of each name: an option or nothing. */
function named(schema: object): Record<string, object> {
  const { properties } = schema as { properties: Record<string, { properties: object }> };
  return Object.fromEntries(
    Object.entries(properties).map(([name, { properties: of }]) => [
      name,
      "result" in of ? { rationale: "so", result: "success" } : { rationale: "so", value: null },
    ]),
  );
}
