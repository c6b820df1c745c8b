import { z } from "zod";
import { voiceSettings } from "./speech-request.js";

const flag = z.boolean().nullish();
const name = z.string().max(256).nullish();

/** A client's frame on `stream-input` and `multi-stream-input`; what is not named here has no effect. */
export const inputFrame = z.object({
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

/** The key that a first frame may carry: browsers cannot set headers on a WebSocket. */
export function keyOf(frame: InputFrame): string | undefined {
  const bearer = frame.authorization?.replace(/^bearer +/i, "");
  return frame["xi-api-key"] ?? frame.xi_api_key ?? bearer ?? undefined;
}
