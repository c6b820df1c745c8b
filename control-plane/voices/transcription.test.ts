import { pino } from "pino";
import { expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { transcribeSamples } from "./transcription.js";

it("leaves out the texts that cannot be had, and logs a refusal in one line and the stack of a fault alone", async () => {
  const lines: unknown[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const heard = { text: "Good evening.", languages: ["en"] };
  const transcribe = async (bytes: Uint8Array): Promise<typeof heard> => {
    if (bytes[0] === 1) throw new ServiceError("no_worker", { parameters: { model: "transcribe-1" } });
    if (bytes[0] === 2) throw new TypeError("undefined is none");
    return heard;
  };
  const nothing = { text: "", languages: [] };
  const samples = [0, 1, 2].map((first) => Uint8Array.of(first));
  expect(await transcribeSamples({ transcribe }, log)(samples)).toEqual([heard, nothing, nothing]);
  const msg = "a voice's sample was not transcribed";
  expect(lines).toEqual([
    { level: 40, code: "no_worker", refusal: "No worker serves the model transcribe-1 right now", msg },
    { level: 40, err: expect.objectContaining({ type: "TypeError", stack: expect.any(String) }), msg },
  ]);
});
