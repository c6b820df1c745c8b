import { hasScope, type Principal } from "#protocol/bus/control";
import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import { ServiceError } from "#protocol/errors";
import { speechModels } from "#protocol/speech/request";
import { type ModelEntity, modelEntity, modelList } from "#protocol/voices";
import { describeLanguage } from "#transcription/recognizer-choice";
import { chooseModel } from "#speech/voice/model";
import { askControlPlane } from "../../forwarding/ask-control-plane.js";
import { answerJson } from "../../http/answers.js";
import type { HttpRequest, HttpRoute } from "../../http/exchange.js";
import type { SpeechContext } from "../../speech/context.js";
import { voiceAlias } from "../voice-alias.js";
import { withBearer } from "./credentials.js";
import { chosenVoices, voiceChoiceOf } from "./voice-choice.js";

/** Voices asked of the control plane at once: its largest page. */
const PAGE_VOICES = 100;
/** Most voices of the list without pages. */
const MOST_VOICES = 1000;

/** A voice as ElevenLabs' libraries read it (docs/protocol.md "Library"). Cloned is the only kind that there is. */
export function toElevenLabsVoice(voice: ModelEntity): Record<string, unknown> {
  return {
    voice_id: voice._id,
    name: voice.title,
    category: "cloned",
    labels: Object.fromEntries(voice.tags.map((tag) => [tag, tag])),
    description: voice.description,
    samples: null,
    settings: null,
    preview_url: null,
    created_at_unix: Math.floor(Date.parse(voice.created_at) / 1000),
  };
}

/** The voice library and the stubs that the libraries ask for (docs/protocol.md "Library"). */
export function elevenLabsLibraryRoutes(context: SpeechContext): HttpRoute[] {
  const get = (path: string, answer: (request: HttpRequest, principal: Principal) => unknown): HttpRoute => ({
    method: "GET",
    path: `${elevenLabsMount}${path}`,
    async handle(request, responder) {
      const principal = await context.authenticate(withBearer(request));
      answerJson(responder, 200, await answer(request, principal));
    },
  });
  return [
    get("/v1/voices", async (request, principal) => ({
      voices: (await everyVoice(context, request, principal)).map(toElevenLabsVoice),
    })),
    get("/v2/voices", (request, principal) => pageOfVoices(context, request, principal)),
    get("/v1/voices/:voice_id", (request, principal) => oneVoice(context, request, principal)),
    get("/v1/models", () => speechModels.map((name) => toElevenLabsModel(name, languagesOf(context, name)))),
    get("/v1/user", (_request, principal) => userOf(principal)),
    get("/v1/user/subscription", (_request, principal) => ({
      ...subscriptionOf(principal),
      open_invoices: [],
      has_open_invoices: false,
    })),
  ];
}

async function askVoices(
  context: SpeechContext,
  request: HttpRequest,
  principal: Principal,
  query: Record<string, string>,
) {
  if (!hasScope(principal, "voices")) throw new ServiceError("missing_scope", { parameters: { scope: "voices" } });
  const search = new URLSearchParams({ self: "true", page_size: String(PAGE_VOICES), ...query }).toString();
  const { status, value } = await askControlPlane({
    bus: context.bus,
    principal,
    trace: request.trace,
    path: "/model",
    query: search,
  });
  if (status !== 200)
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The voice library" } });
  return modelList.parse(value);
}

/** The voices of a team, newest first, `MOST_VOICES` at most. */
async function everyVoice(
  context: SpeechContext,
  request: HttpRequest,
  principal: Principal,
  query: Record<string, string> = {},
): Promise<ModelEntity[]> {
  const voices: ModelEntity[] = [];
  for (let page = 1; voices.length < MOST_VOICES; page++) {
    const { items, total } = await askVoices(context, request, principal, { ...query, page_number: String(page) });
    voices.push(...items);
    if (items.length === 0 || voices.length >= total) break;
  }
  return voices;
}

async function pageOfVoices(context: SpeechContext, request: HttpRequest, principal: Principal): Promise<unknown> {
  const query = new URLSearchParams(request.query);
  const size = wholeNumber(query, "page_size", { absent: 10, most: PAGE_VOICES });
  const page = wholeNumber(query, "next_page_token", { absent: 1, most: 10_000 });
  const search = query.get("search") ?? "";
  const title: Record<string, string> = search === "" ? {} : { title: search };
  const choice = voiceChoiceOf(query);
  const { voices, total } =
    choice === null
      ? await onePage(context, request, principal, { page_size: String(size), page_number: String(page), ...title })
      : pageOf(chosenVoices(await everyVoice(context, request, principal, title), choice), { size, page });
  const hasMore = page * size < total;
  return {
    voices: voices.map(toElevenLabsVoice),
    has_more: hasMore,
    total_count: total,
    next_page_token: hasMore ? String(page + 1) : null,
  };
}

async function onePage(
  context: SpeechContext,
  request: HttpRequest,
  principal: Principal,
  query: Record<string, string>,
): Promise<{ voices: ModelEntity[]; total: number }> {
  const { items, total } = await askVoices(context, request, principal, query);
  return { voices: items, total };
}

function pageOf(
  voices: readonly ModelEntity[],
  { size, page }: { size: number; page: number },
): { voices: readonly ModelEntity[]; total: number } {
  return { voices: voices.slice((page - 1) * size, page * size), total: voices.length };
}

function wholeNumber(
  query: URLSearchParams,
  parameter: string,
  { absent, most }: { absent: number; most: number },
): number {
  const text = query.get(parameter);
  if (text === null || text === "") return absent;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new ServiceError("refused_parameter", {
    parameters: { parameter, detail: `a whole number from 1 to ${most} is expected` },
  });
}

async function oneVoice(context: SpeechContext, request: HttpRequest, principal: Principal): Promise<unknown> {
  if (!hasScope(principal, "voices")) throw new ServiceError("missing_scope", { parameters: { scope: "voices" } });
  const path = `/model/${encodeURIComponent(voiceAlias(context.config, request.parameters["voice_id"] ?? ""))}`;
  const { status, value } = await askControlPlane({
    bus: context.bus,
    principal,
    trace: request.trace,
    path,
    query: "",
  });
  if (status === 404) throw new ServiceError("voice_not_found");
  if (status !== 200)
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "The voice library" } });
  return toElevenLabsVoice(modelEntity.parse(value));
}

interface Language {
  language_id: string;
  name: string;
}

function toElevenLabsModel(name: string, languages: Language[]): Record<string, unknown> {
  return {
    model_id: `service/${name}`,
    name,
    can_do_text_to_speech: true,
    can_do_voice_conversion: false,
    can_be_finetuned: false,
    can_use_style: false,
    can_use_speaker_boost: false,
    serves_pro_voices: false,
    token_cost_factor: 1,
    languages,
  };
}

/** What the voices behind a model speak now, in the order of the folders that serve it; none while no worker is there. */
function languagesOf({ config, speech }: SpeechContext, model: string): Language[] {
  const served = speech.servedModels(chooseModel(model, config).folders);
  const languages = new Map<string, Language>();
  for (const tag of served.flatMap((each) => each.languages)) {
    const { language_code: id, language: name } = describeLanguage(tag);
    if (id !== undefined) languages.set(id, { language_id: id, name: name ?? id });
  }
  return [...languages.values()];
}

/** A self-hosted service has no plans and no invoices; the libraries insist on the fields. */
function subscriptionOf(principal: Principal): Record<string, unknown> {
  return {
    tier: "self-hosted",
    status: principal.hasCredit ? "active" : "past_due",
    character_count: 0,
    character_limit: 0,
    max_credit_limit_extension: "unlimited",
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    voice_slots_used: 0,
    professional_voice_slots_used: 0,
    professional_voice_slots_used_in_workspace: 0,
    voice_limit: 0,
    voice_add_edit_counter: 0,
    professional_voice_limit: 0,
    can_extend_voice_limit: false,
    can_use_instant_voice_cloning: true,
    can_use_professional_voice_cloning: false,
    current_overage: { amount: "0", currency: "usd" },
  };
}

function userOf(principal: Principal): Record<string, unknown> {
  return {
    user_id: principal.userId,
    workspace_id: principal.teamId,
    is_new_user: false,
    can_use_delayed_payment_methods: false,
    is_onboarding_completed: true,
    is_onboarding_checklist_completed: true,
    created_at: 0,
    seat_type: "workspace_member",
    subscription: subscriptionOf(principal),
  };
}
