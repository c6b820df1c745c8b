import type { Principal } from "#protocol/bus/control";
import { openAiMounts } from "#protocol/compat/openai-speech";
import { openAiRealtime } from "#protocol/compat/openai-realtime";
import { frameLimits } from "#protocol/limits";
import type { HttpRequest, SocketRoute } from "../../../http/exchange.js";
import { admitSpeaker, admitToModel } from "../../../speech/caller.js";
import type { SpeechContext } from "../../../speech/context.js";
import type { SocketAudioBudget } from "../../../transcription/socket-audio-budget.js";
import { nativeHeaders, type OpenAiSettings, speechModelOf } from "../speech-request.js";
import { RealtimeSession, type RealtimeSpeaker } from "./realtime-session.js";
import type { TranscribeTurn } from "../../transcribe-audio.js";

const KEY_SUBPROTOCOL = "openai-insecure-api-key.";

/**
 * What a realtime socket needs besides the speech path: room for its audio, and its way to a transcript, for one
 * caller.
 */
export interface RealtimeContext {
  speech: SpeechContext;
  audioBudget: SocketAudioBudget;
  /** Admits who may open a session that only transcribes. Throws as `admitTranscription` does. */
  admitTranscription(request: HttpRequest): Promise<Principal>;
  transcriberFor(request: HttpRequest): TranscribeTurn;
}

/** `WS /realtime` on every mount (docs/protocol.md "Realtime"). */
export function realtimeRoutes({
  speech: context,
  audioBudget,
  admitTranscription,
  transcriberFor,
}: RealtimeContext): SocketRoute[] {
  return openAiMounts.map((mount) => ({
    path: `${mount}${openAiRealtime.path}`,
    maxFrameBytes: frameLimits.audio,
    // A browser offers its key as a subprotocol: it must not be sent back.
    subprotocol: (offered) => (offered.includes("realtime") ? "realtime" : ""),
    async upgrade(request) {
      const query = new URLSearchParams(request.query);
      const asked = withOtherKeys(request, query);
      const native = nativeHeaders((header) => request.header(header));
      const transcribe = transcriberFor(asked);
      const shared = { context, native, transcribe, audioBudget };
      if (query.get("intent") === "transcription") {
        const principal = await admitTranscription(asked);
        return (connection) => new RealtimeSession({ ...shared, connection, principal, speaker: null });
      }
      const speaker = await admitRealtimeSpeaker(asked, query.get("model"), context);
      return (connection) =>
        new RealtimeSession({ ...shared, connection, principal: speaker.caller.principal, speaker });
    },
  }));
}

async function admitRealtimeSpeaker(
  request: HttpRequest,
  model: string | null,
  context: SpeechContext,
): Promise<RealtimeSpeaker> {
  const arrivedAtMs = context.clock.nowMs();
  const principal = await admitSpeaker(request, context);
  const name = realtimeModelOf(model, context.config);
  return {
    model: model ?? `service/${name}`,
    caller: admitToModel({ principal, model: name, trace: request.trace, arrivedAtMs, context }),
  };
}

/**
 * Clients have the names of conversational models in their settings: unless an operator says otherwise, they speak with
 * `s2.1-pro`.
 */
function realtimeModelOf(name: string | null, settings: Pick<OpenAiSettings, "PARLEY_MODEL_ALIASES">): string {
  const isAlias = name !== null && Object.hasOwn(settings.PARLEY_MODEL_ALIASES, name);
  const isOpenAis = name === null || name === "" || /^(gpt-realtime|gpt-4o-(mini-)?realtime)/.test(name);
  return speechModelOf(isOpenAis && !isAlias ? undefined : name, settings);
}

function withOtherKeys(request: HttpRequest, query: URLSearchParams): HttpRequest {
  if (request.header("authorization") !== undefined) return request;
  const offered = (request.header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  const key =
    query.get("api_key") ?? offered.find((name) => name.startsWith(KEY_SUBPROTOCOL))?.slice(KEY_SUBPROTOCOL.length);
  if (key === undefined) return request;
  return { ...request, header: (name) => (name === "authorization" ? `Bearer ${key}` : request.header(name)) };
}
