import { groqMount } from "#protocol/compat/openai-speech";

/** What Groq's service adds to its JSON answers. */
interface GroqFields {
  x_groq?: { id: string } & Record<string, unknown>;
}

/**
 * The fields that Groq's clients expect in a JSON answer besides OpenAI's; none on the other mounts. Vercel's AI SDK
 * refuses a transcription without `x_groq.id`. `id` is the request's trace id, as in the `x-request-id` header; `more`
 * goes beside it.
 */
export function groqFields(mount: string, id: string, more: Record<string, unknown> = {}): GroqFields {
  return mount === groqMount ? { x_groq: { id, ...more } } : {};
}
