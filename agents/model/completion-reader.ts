import { z } from "zod";
import type { ModelToolCall } from "../dialogue/input.js";
import { EndpointFailure } from "./endpoint-failure.js";

/** Calls that one answer may ask for. */
const MAX_CALLS = 16;
/** Of one call's arguments together. */
const MAX_ARGUMENT_CHARACTERS = 100_000;

/** Ids that go back to the endpoint, and to clients, as they are. */
const usableId = /^[A-Za-z0-9_.:-]{1,64}$/;

const callDelta = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      /** Some endpoints send an object instead of its text. */
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});
type CallDelta = z.output<typeof callDelta>;

/** What is read of a chunk (`chat.completion.chunk`); everything else may be as it likes. */
const completionChunk = z.object({
  choices: z
    .array(
      z.object({
        index: z.number().nullish(),
        delta: z
          .object({
            content: z.union([z.string(), z.array(z.unknown())]).nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(callDelta).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
});
const textPart = z.object({ type: z.literal("text"), text: z.string() });

interface PartialCall {
  index: number | null;
  id: string;
  name: string;
  arguments: string;
}

/** What one chunk brings. */
export interface ReadChunk {
  text: string;
  /** Whether it holds a part of a tool call. */
  hasCall: boolean;
  /** `stop`, `tool_calls`, `length`, `content_filter` and what else endpoints say; null: more is to come. */
  finishReason: string | null;
}

/**
 * Reads the chunks of one streamed answer, in the forms that endpoints in the field send. Ids that calls lack, share,
 * or that have been used before (`usedIds`) are replaced by those of `newId`.
 */
export class CompletionReader {
  readonly #calls: PartialCall[] = [];
  readonly #usedIds: Set<string>;
  readonly #newId: () => string;

  constructor(usedIds: Iterable<string>, newId: () => string) {
    this.#usedIds = new Set(usedIds);
    this.#newId = newId;
  }

  /** Throws `EndpointFailure` for what is no chunk, and for calls past their bounds. */
  push(chunk: unknown): ReadChunk {
    const parsed = completionChunk.safeParse(chunk);
    if (!parsed.success) throw new EndpointFailure("the endpoint sent what cannot be read", true);
    // Others are further answers to the same question.
    const choice = parsed.data.choices?.find(({ index }) => (index ?? 0) === 0);
    const calls = choice?.delta?.tool_calls ?? [];
    for (const delta of calls) this.#addCall(delta);
    return {
      text: textOf(choice?.delta?.content) + (choice?.delta?.refusal ?? ""),
      hasCall: calls.length > 0,
      finishReason: choice?.finish_reason || null,
    };
  }

  /** The calls of the answer so far, in their order. */
  calls(): ModelToolCall[] {
    return this.#calls.map(({ id, name, arguments: text }) => {
      const callId = usableId.test(id) && !this.#usedIds.has(id) ? id : this.#newId();
      this.#usedIds.add(callId);
      return { callId, name, arguments: text };
    });
  }

  #addCall(delta: CallDelta): void {
    const name = delta.function?.name ?? "";
    const call = this.#callOf(delta, name);
    // Some endpoints repeat the name with every part, others split it.
    if (name !== call.name) call.name += name;
    const more = delta.function?.arguments ?? "";
    call.arguments += typeof more === "string" ? more : JSON.stringify(more);
    if (call.arguments.length > MAX_ARGUMENT_CHARACTERS || call.name.length > MAX_ARGUMENT_CHARACTERS)
      throw new EndpointFailure("the answer has a tool call that is too long", true);
  }

  /** The call that a delta belongs to; a new one where its index or, with a name, its id is new. */
  #callOf(delta: CallDelta, name: string): PartialCall {
    const index = delta.index ?? null;
    const id = delta.id ?? "";
    const last = this.#calls.at(-1);
    const known = index === null ? last : this.#calls.findLast((call) => call.index === index);
    const isOther = known !== undefined && id !== "" && known.id !== "" && id !== known.id && name !== "";
    const isNextWithoutIndex = index === null && known !== undefined && id === "" && known.id === "" && name !== "";
    if (known !== undefined && !isOther && !(isNextWithoutIndex && isComplete(known.arguments))) {
      if (known.id === "") known.id = id;
      return known;
    }
    if (this.#calls.length === MAX_CALLS) throw new EndpointFailure("the answer has too many tool calls", true);
    const call = { index, id, name: "", arguments: "" };
    this.#calls.push(call);
    return call;
  }
}

function isComplete(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false; // SyntaxError: more is to come
  }
}

function textOf(content: string | unknown[] | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((part) => {
      const parsed = textPart.safeParse(part);
      return parsed.success ? parsed.data.text : "";
    })
    .join("");
}
