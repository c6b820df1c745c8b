import { describe, expect, it } from "vitest";
import { groqMount, openAiMounts } from "#protocol/compat/openai-speech";
import { samplesToBytes } from "#audio/pcm";
import type { HttpRoute } from "../../http/exchange.js";
import { TranscriptionBench } from "../../transcription/testing/transcription-bench.js";
import { audioOfWords } from "#transcription/testing/scripted-client";
import { jsonRequest, RecordingResponder, SpeechBench } from "../../speech/testing/speech-bench.js";
import { dispatch } from "../testing/dispatch.js";
import { openAiChatRoutes } from "./chat.js";
import { openAiTranscriptionRoutes } from "./transcription.js";

const { samples } = audioOfWords([{ pauseSteps: 50, steps: 40, loudness: 2001 }], 80);
const audio = Buffer.from(samplesToBytes(samples)).toString("base64");

/** Sends a JSON body to the route at `path`; gives the answer and the id that its headers name. */
async function post(
  routes: HttpRoute[],
  path: string,
  body: object,
  bench?: SpeechBench,
): Promise<{ text: string; id: string }> {
  const responder = new RecordingResponder();
  const route = routes.find((one) => one.path === path);
  const handled = dispatch(route!, jsonRequest(body), responder);
  await bench?.pass(3000);
  await handled;
  expect(responder.status, responder.body.toString()).toBe(200);
  return { text: responder.body.toString(), id: responder.headers["x-request-id"] ?? "" };
}

const transcribe = (mount: string, format: string) =>
  post(openAiTranscriptionRoutes(new TranscriptionBench().context), `${mount}/audio/transcriptions`, {
    model: "whisper-1",
    response_format: format,
    input_audio: { data: audio, format: "wav" },
  });

function chat(mount: string, body: object) {
  const bench = new SpeechBench();
  const routes = openAiChatRoutes({
    speech: bench.context,
    transcriberFor: () => async () => ({ text: "w2001", words: [], seconds: 1 }),
  });
  return post(
    routes,
    `${mount}/chat/completions`,
    { model: "service/s1", modalities: ["audio"], messages: [{ role: "user", content: "Hello." }], ...body },
    bench,
  );
}

const question = {
  model: "whisper-1",
  modalities: ["text"],
  messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: audio, format: "wav" } }] }],
};
const eventsOf = (text: string): Record<string, unknown>[] =>
  text
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice(6)) as Record<string, unknown>);

describe("x_groq", () => {
  it.each([
    "json",
    "verbose_json",
  ])("names the request in a transcription as %s, on Groq's mount alone", async (format) => {
    for (const mount of openAiMounts) {
      const { text, id } = await transcribe(mount, format);
      expect([mount, JSON.parse(text)]).toEqual([mount, expect.objectContaining({ text: "w2001" })]);
      expect([mount, (JSON.parse(text) as { x_groq?: object }).x_groq]).toEqual([
        mount,
        mount === groqMount ? { id } : undefined,
      ]);
    }
  });

  it.each([
    ["spoken", {}],
    ["transcribed", question],
  ])("names the request in a chat completion that is %s", async (_, body) => {
    for (const mount of openAiMounts) {
      const { text, id } = await chat(mount, body);
      expect([mount, (JSON.parse(text) as { x_groq?: object }).x_groq]).toEqual([
        mount,
        mount === groqMount ? { id } : undefined,
      ]);
    }
  });

  it("comes with the first piece of a streamed completion, and with the last, which tells the usage", async () => {
    const { text, id } = await chat(groqMount, { stream: true });
    const reported = eventsOf(text).map((event) => event["x_groq"]);
    expect(reported[0]).toEqual({ id });
    expect(reported.at(-1)).toEqual({ id, usage: expect.objectContaining({ prompt_tokens: 6 }) });
    expect(reported.slice(1, -1).filter((field) => field !== undefined)).toEqual([]);
    expect(eventsOf((await chat("/compat/v1", { stream: true })).text).filter((event) => "x_groq" in event)).toEqual(
      [],
    );
  });
});
