import { z } from "zod";

/** `GET /v1/tts/speakers`: the speakers that a model's voices have of their own, in the order in which they serve it. */
export const speakerList = z.object({
  total: z.int(),
  items: z.array(
    z.object({
      id: z.string().describe("What `reference_id`, `voice` and an agent's `voice_id` take."),
      voice_model: z.string().describe("The voice model whose speaker it is, as `/health` names it."),
      languages: z.array(z.string()).describe("BCP-47, or `*`; other languages are spoken by another voice model."),
    }),
  ),
});
/** The answer of `GET /v1/tts/speakers`. */
export type SpeakerList = z.infer<typeof speakerList>;
