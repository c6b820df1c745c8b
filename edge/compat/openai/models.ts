import { openAiMounts } from "#protocol/compat/openai-speech";
import { speechModels } from "#protocol/speech/request";
import { answerJson } from "../../http/answers.js";
import type { HttpRoute } from "../../http/exchange.js";

/** The one recognizer that callers can name. */
const TRANSCRIPTION_MODEL = "transcribe-1";

/**
 * When the catalogue took its present form, Unix seconds: the libraries want a date, and only its being stable matters.
 */
const CREATED = 1_767_225_600;

/**
 * One entry that all three libraries take: OpenAI's and Groq's read `id`, `object`, `created`, `owned_by`; OpenRouter's
 * refuses a list in which any entry lacks one of the other keys (docs/protocol.md "Models").
 */
function modelEntry(
  name: string,
  direction: { input: string; output: string; parameters: string[] },
): Record<string, unknown> {
  const id = `service/${name}`;
  return {
    id,
    object: "model",
    created: CREATED,
    owned_by: "service",
    name,
    canonical_slug: id,
    description: direction.output === "speech" ? "Speech from text" : "Text from speech",
    context_length: null,
    architecture: {
      modality: `${direction.input}->${direction.output}`,
      input_modalities: [direction.input],
      output_modalities: [direction.output],
      tokenizer: "Other",
      instruct_type: null,
    },
    pricing: { prompt: "0", completion: "0" },
    top_provider: { is_moderated: false, context_length: null, max_completion_tokens: null },
    per_request_limits: null,
    supported_parameters: direction.parameters,
    supported_voices: null,
    default_parameters: null,
    links: { details: "/docs" },
  };
}

const speech = { input: "text", output: "speech", parameters: ["temperature", "top_p", "repetition_penalty"] };
const transcription = { input: "audio", output: "text", parameters: [] };
const catalogue = [
  ...speechModels.map((name) => ({ output: "speech", entry: modelEntry(name, speech) })),
  { output: "text", entry: modelEntry(TRANSCRIPTION_MODEL, transcription) },
];

/**
 * `GET /models` (no key is needed): one body for the three libraries; `output_modalities`, `limit` and `offset` narrow
 * it.
 */
export function openAiModelRoutes(): HttpRoute[] {
  return openAiMounts.map((mount) => ({
    method: "GET",
    path: `${mount}/models`,
    async handle(request, responder) {
      answerJson(responder, 200, listModels(new URLSearchParams(request.query)));
    },
  }));
}

/** The list that a query asks for. A limit or an offset that is no number narrows nothing. */
export function listModels(query: URLSearchParams): {
  object: "list";
  data: unknown[];
  links: { next: null };
  total_count: number;
} {
  const wanted = (query.get("output_modalities") ?? "")
    .split(",")
    .map((word) => word.trim().replace("transcription", "text"));
  const found = catalogue.filter(
    ({ output }) => wanted.every((word) => word === "" || word === "all") || wanted.includes(output),
  );
  const offset = wholeNumber(query.get("offset")) ?? 0;
  const data = found
    .slice(offset, offset + (wholeNumber(query.get("limit")) ?? found.length))
    .map(({ entry }) => entry);
  return { object: "list", data, links: { next: null }, total_count: found.length };
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
