import { z } from "zod";
import { limits } from "#protocol/limit-table";
import { newIdentifier } from "#common/identifier";
import { realtimeError } from "./realtime-error.js";

const {
  conversationItems: { most: MAX_ITEMS },
  conversationItemBytes: { most: MAX_ITEM_BYTES },
} = limits;

const content = z.object({ type: z.string(), text: z.string().nullish(), transcript: z.string().nullish() });
const item = z.object({
  id: z.string().max(128).nullish(),
  type: z.string(),
  role: z.string().nullish(),
  content: z.array(content).max(64).nullish(),
});

/** One message of a conversation. */
export interface ConversationItem {
  id: string;
  role: string;
  text: string;
  /** True once it was spoken, or came out of a response: it is not spoken again. */
  isSpoken: boolean;
}

/** The messages of a session, in order, bounded. */
export class Conversation {
  readonly #items: ConversationItem[] = [];

  /** The newest item's id; null in an empty conversation. */
  get lastId(): string | null {
    return this.#items.at(-1)?.id ?? null;
  }

  /** Reads an item of a `conversation.item.create` and takes it in. Throws a `realtimeError`. */
  create(value: unknown): ConversationItem {
    const parsed = item.safeParse(value);
    if (!parsed.success || parsed.data.type !== "message")
      throw realtimeError("invalid_item", "Items are messages with text", "item");
    const text = (parsed.data.content ?? []).map((part) => part.text ?? part.transcript ?? "").join("");
    return this.add({ id: parsed.data.id ?? newItemId(), role: parsed.data.role ?? "user", text, isSpoken: false });
  }

  /** Takes an item in. Throws a `realtimeError` when the conversation has grown too large. */
  add(added: ConversationItem): ConversationItem {
    if (this.#items.length >= MAX_ITEMS || Buffer.byteLength(added.text) > MAX_ITEM_BYTES) {
      throw realtimeError(
        "conversation_too_large",
        `A conversation has at most ${MAX_ITEMS} items of ${MAX_ITEM_BYTES} bytes`,
      );
    }
    this.#items.push(added);
    return added;
  }

  /** Takes an item out; false when there is none of that name. */
  delete(id: string): boolean {
    const at = this.#items.findIndex((one) => one.id === id);
    if (at >= 0) this.#items.splice(at, 1);
    return at >= 0;
  }

  /** The text that was written since the last response, and from now on counts as spoken. */
  takeUnspoken(): string {
    const unspoken = this.#items.filter((one) => !one.isSpoken && one.role !== "system");
    for (const one of unspoken) one.isSpoken = true;
    return unspoken
      .map((one) => one.text)
      .filter((text) => text !== "")
      .join(" ");
  }
}

/** An id in the form that clients know. */
export const newItemId = (): string => `item_${newIdentifier()}`;

/** As events carry it. */
export function describeItem(one: ConversationItem, extra: Record<string, unknown> = {}): Record<string, unknown> {
  const isAssistant = one.role === "assistant";
  const part = isAssistant ? { type: "output_audio", transcript: one.text } : { type: "input_text", text: one.text };
  return {
    id: one.id,
    object: "realtime.item",
    type: "message",
    status: "completed",
    role: one.role,
    content: [part],
    ...extra,
  };
}
