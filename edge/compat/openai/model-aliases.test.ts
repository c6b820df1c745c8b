import { describe, expect, it } from "vitest";
import type { HttpRoute } from "../../http/exchange.js";
import { SocketAudioBudget } from "../../transcription/socket-audio-budget.js";
import {
  jsonRequest,
  RecordingConnection,
  RecordingResponder,
  SpeechBench,
} from "../../speech/testing/speech-bench.js";
import { openAiChatRoutes } from "./chat.js";
import { realtimeRoutes } from "./realtime/realtime-socket.js";
import { dispatch } from "../testing/dispatch.js";
import { openAiSpeechRoutes } from "./speech.js";

const aliases = { PARLEY_MODEL_ALIASES: "fast=s1,tts-1=s2.1-pro-free,gpt-realtime=s1,broken=nothing" };
const unused = () => async () => ({ text: "", words: [], seconds: 0 });

/** Posts a body; gives the status and the models that the usage names. */
async function post(
  routesOf: (bench: SpeechBench) => HttpRoute[],
  body: object,
): Promise<[status: number, models: string[]]> {
  const bench = new SpeechBench(aliases);
  const responder = new RecordingResponder();
  const handled = dispatch(routesOf(bench)[0]!, jsonRequest(body), responder);
  await bench.pass(3000);
  await handled;
  return [responder.status, bench.usage.map(({ model }) => model)];
}

/** Speaks a word on a realtime socket that was opened for a model. */
async function speakRealtime(model: string): Promise<string[]> {
  const bench = new SpeechBench(aliases);
  const context = {
    speech: bench.context,
    audioBudget: new SocketAudioBudget(),
    admitTranscription: bench.context.authenticate,
    transcriberFor: unused,
  };
  const open = await realtimeRoutes(context)[0]?.upgrade({
    ...jsonRequest({}),
    query: `model=${encodeURIComponent(model)}`,
  });
  const session = open?.(new RecordingConnection());
  session?.message(
    Buffer.from(JSON.stringify({ type: "response.create", response: { input: [{ content: [{ text: "Hello." }] }] } })),
    false,
  );
  await bench.pass(3000);
  session?.end();
  return bench.usage.map((record) => record.model);
}

const speech = (model: string) => post((bench) => openAiSpeechRoutes(bench.context), { input: "Hello.", model });
const chat = (model: string) =>
  post((bench) => openAiChatRoutes({ speech: bench.context, transcriberFor: unused }), {
    model,
    modalities: ["audio"],
    messages: [{ role: "user", content: "Hello." }],
  });

describe("an operator's names for models, on the OpenAI mounts", () => {
  it.each([
    ["speech", speech],
    ["chat", chat],
  ])("count in the body of %s, before other vendors' names", async (_, ask) => {
    for (const name of ["fast", "service/fast"]) expect(await ask(name)).toEqual([200, ["s1"]]);
    expect(await ask("tts-1")).toEqual([200, ["s2.1-pro-free"]]);
    expect(await ask("tts-1-hd")).toEqual([200, ["s2.1-pro"]]);
    for (const name of ["broken", "slow", "constructor"]) expect(await ask(name)).toEqual([400, []]);
  });

  it("count in the query of a realtime socket", async () => {
    expect(await speakRealtime("fast")).toEqual(["s1"]);
    expect(await speakRealtime("gpt-realtime")).toEqual(["s1"]);
    expect(await speakRealtime("gpt-realtime-mini")).toEqual(["s2.1-pro"]);
    await expect(speakRealtime("broken")).rejects.toMatchObject({ code: "unknown_model" });
  });
});
