import { z } from "zod";
import { ServiceError } from "#protocol/errors";
import { validate } from "../../http/validation.js";
import { voiceSettings } from "./speech-request.js";

const flag = z.boolean().nullish();
const name = z.string().max(256).nullish();

/** A client's frame on `stream-input` and `multi-stream-input`; what is not named here has no effect. */
const inputFrame = z.object({
  text: z.string().nullish(),
  voice_settings: voiceSettings,
  try_trigger_generation: flag,
  flush: flag,
  context_id: name,
  close_context: flag,
  close_socket: flag,
  "xi-api-key": name,
  xi_api_key: name,
  authorization: name,
});

export type InputFrame = z.infer<typeof inputFrame>;

/** Reads a frame. Throws `malformed_json`, `validation`, and `protocol_violation` for binary ones. */
export function readInputFrame(data: Uint8Array, isBinary: boolean): InputFrame {
  if (isBinary) throw new ServiceError("protocol_violation", { parameters: { detail: "Frames are JSON text" } });
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString());
  } catch (cause) {
    throw new ServiceError("malformed_json", { cause });
  }
  return validate(inputFrame, value, ["frame"]);
}

/** The key that a first frame may carry: browsers cannot set headers on a WebSocket. */
export function keyOf(frame: InputFrame): string | undefined {
  const bearer = frame.authorization?.replace(/^bearer +/i, "");
  return frame["xi-api-key"] ?? frame.xi_api_key ?? bearer ?? undefined;
}
