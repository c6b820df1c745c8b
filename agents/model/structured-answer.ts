import { z } from "zod";
import { type LanguageModel, ModelError, type ModelMessage } from "./language-model.js";

/** What a model must answer with: a name for the schema, and the schema. */
export interface AnswerFormat<T> {
  name: string;
  /** All fields are required, and no others allowed: endpoints want that of a strict schema. */
  schema: z.ZodType<T>;
  /** What is wrong with an answer that the schema takes; null where nothing is. */
  complaint?(answer: T): string | null;
}

/** Longest answer that is read, UTF-16 units. */
const MAX_CHARACTERS = 50_000;

/** The fields of a request that ask for such an answer, the same every time. */
export function structuredBody(format: AnswerFormat<unknown>): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(format.schema);
  return {
    temperature: 0,
    response_format: { type: "json_schema", json_schema: { name: format.name, strict: true, schema } },
  };
}

/**
 * Asks a model for a structured answer; one that cannot be used is asked for once more, with what is wrong with it.
 * `model` sends the format's `structuredBody`. Throws ModelError.
 */
export async function askStructured<T>(
  model: LanguageModel,
  format: AnswerFormat<T>,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): Promise<T> {
  const first = await ask(model, messages, signal);
  const read = readAnswer(format, first);
  if (read.ok) return read.answer;
  const again: ModelMessage[] = [
    ...messages,
    { role: "assistant", content: first === "" ? "(nothing)" : first, toolCalls: [] },
    {
      role: "user",
      content: `This answer cannot be used: ${read.complaint}. Answer again, with the JSON object alone.`,
    },
  ];
  const second = readAnswer(format, await ask(model, again, signal));
  if (second.ok) return second.answer;
  throw new ModelError(`its answer could not be used, twice: ${second.complaint}`);
}

async function ask(model: LanguageModel, messages: readonly ModelMessage[], signal: AbortSignal): Promise<string> {
  let text = "";
  await model.answer({
    messages,
    tools: [],
    signal,
    onText(words) {
      text += words;
    },
    onToolCall: () => undefined,
  });
  signal.throwIfAborted();
  return text.slice(0, MAX_CHARACTERS);
}

type ReadAnswer<T> = { ok: true; answer: T } | { ok: false; complaint: string };

/** Reads an answer; endpoints that know no formats put other words, or a fence, around the object. Pure. */
export function readAnswer<T>(format: AnswerFormat<T>, text: string): ReadAnswer<T> {
  let value: unknown;
  try {
    value = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return { ok: false, complaint: "it is not a JSON object" }; // SyntaxError
  }
  const parsed = format.schema.safeParse(value);
  if (!parsed.success) return { ok: false, complaint: z.prettifyError(parsed.error) };
  const complaint = format.complaint?.(parsed.data) ?? null;
  return complaint === null ? { ok: true, answer: parsed.data } : { ok: false, complaint };
}
