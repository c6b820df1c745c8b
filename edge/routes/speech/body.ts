import { type SpeechRequest, speechRequest } from "#protocol/speech/request";
import { readBody } from "../../http/body.js";
import type { HttpRequest } from "../../http/exchange.js";
import { validate } from "../../http/validation.js";

/** Largest speech request: the text is small, the reference samples of several speakers are not. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Reads and checks the body of a speech request. Throws the errors of `readBody`, and `validation`. */
export async function readSpeechRequest(request: HttpRequest): Promise<SpeechRequest> {
  return validate(speechRequest, await readBody(request, MAX_BODY_BYTES, ["json", "msgpack"]), ["body"]);
}
