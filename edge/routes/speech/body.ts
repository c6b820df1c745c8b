import { audioFields, type SpeechRequest, speechRequest } from "#protocol/speech/request";
import { readBody } from "../../http/body.js";
import type { HttpRequest } from "../../http/exchange.js";
import { validate } from "../../http/validation.js";

/** Reads and checks the body of a speech request. Throws the errors of `readBody`, and `validation`. */
export async function readSpeechRequest(request: HttpRequest): Promise<SpeechRequest> {
  return validate(speechRequest, await readBody(request, ["json", "msgpack"], audioFields), ["body"]);
}
