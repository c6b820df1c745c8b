import { audioFields, type SpeechRequest, speechRequest } from "#protocol/speech/request";
import { readBody } from "../../http/body.js";
import type { HttpRequest, HttpResponder } from "../../http/exchange.js";
import { validate } from "../../http/validation.js";
import { admitCaller } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import { type HttpSpeechWriter, speakOverHttp } from "../../speech/http-speech.js";
import type { SpeechRoute } from "#speech/metrics";

/**
 * The way of an HTTP speech request: admission, body, plan, audio. `makeWriter` gives the protocol's way of writing it.
 * A client that goes away ends all work at once.
 */
export async function handleSpeech(options: {
  context: SpeechContext;
  route: SpeechRoute;
  request: HttpRequest;
  responder: HttpResponder;
  makeWriter: (responder: HttpResponder, request: SpeechRequest) => HttpSpeechWriter;
}): Promise<void> {
  const { context, route, responder, makeWriter } = options;
  const caller = await admitCaller(options.request, context);
  const request = await readSpeechRequest(options.request);
  const isAwaited = request.latency === "low";
  await speakOverHttp({
    context,
    route,
    caller,
    request,
    isAwaited,
    responder,
    writer: makeWriter(responder, request),
  });
}

/** Reads and checks the body of a speech request. Throws the errors of `readBody`, and `validation`. */
async function readSpeechRequest(request: HttpRequest): Promise<SpeechRequest> {
  return validate(speechRequest, await readBody(request, ["json", "msgpack"], audioFields), ["body"]);
}
