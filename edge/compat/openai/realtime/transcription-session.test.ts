import { describe, expect, it } from "vitest";
import { TranscriptionBench } from "../../../transcription/testing/transcription-bench.js";
import { audioOfWords } from "#transcription/testing/scripted-client";
import { samplesToBytes } from "#audio/pcm";
import type { SocketSession } from "../../../http/exchange.js";
import { jsonRequest, RecordingConnection, SpeechBench, testPrincipal } from "../../../speech/testing/speech-bench.js";
import { compatRoutes } from "../../routes.js";

const { samples } = audioOfWords([{ pauseSteps: 20, steps: 30, loudness: 2001 }], 40);
const audio = Buffer.from(samplesToBytes(samples)).toString("base64");

interface Event {
  type: string;
  error?: { code: string; param: string | null };
  [field: string]: unknown;
}

/** An edge whose caller has a key with these scopes. */
class Edge {
  readonly #speech = new SpeechBench();
  readonly #transcription = new TranscriptionBench({ turnsOf: () => 20 });
  readonly #routes = compatRoutes(this.#speech.context, {
    ...this.#transcription.context,
    teamSlots: this.#speech.context.teamSlots,
  });
  readonly #connection = new RecordingConnection();
  #session: SocketSession | null = null;

  constructor(scopes: string[], hasCredit = true) {
    const principal = { ...testPrincipal, scopes, hasCredit };
    this.#speech.principal = principal;
    this.#transcription.principal = principal;
  }

  async connect(query: string): Promise<this> {
    const route = this.#routes.sockets.find(({ path }) => path === "/compat/v1/realtime");
    this.#session = (await route!.upgrade({ ...jsonRequest({}), query }))(this.#connection);
    return this;
  }

  async send(...events: object[]): Promise<Event[]> {
    const before = this.#connection.sent.length;
    for (const event of events) this.#session?.message(Buffer.from(JSON.stringify(event)), false);
    await this.#speech.pass(2000);
    return this.#connection.sent.slice(before).map((frame) => JSON.parse(Buffer.from(frame).toString()) as Event);
  }
}

const transcription = "intent=transcription";
const update = (session: object) => ({ type: "session.update", session });

describe("a realtime socket with intent=transcription", () => {
  it("is open to a key that may transcribe and nothing else", async () => {
    const edge = await new Edge(["transcription"]).connect(transcription);
    const [updated] = await edge.send(
      update({ type: "transcription", audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } }),
    );
    expect(updated).toMatchObject({
      type: "session.updated",
      session: { type: "transcription", object: "realtime.transcription_session" },
    });
    const events = await edge.send({ type: "input_audio_buffer.append", audio }, { type: "input_audio_buffer.commit" });
    expect(events.at(-1)).toMatchObject({
      type: "conversation.item.input_audio_transcription.completed",
      transcript: "w2001",
    });
  });

  it("is closed to one that may not, or whose team has no credit", async () => {
    await expect(new Edge(["speech"]).connect(transcription)).rejects.toMatchObject({
      code: "missing_scope",
      parameters: { scope: "transcription" },
    });
    await expect(new Edge(["transcription"], false).connect(transcription)).rejects.toMatchObject({
      code: "out_of_credit",
    });
    await expect(new Edge(["transcription"]).connect("model=gpt-realtime")).rejects.toMatchObject({
      code: "missing_scope",
      parameters: { scope: "speech" },
    });
  });

  it.each([["transcription"], ["*"]])("does not speak, whoever asks (scope %s)", async (scope) => {
    const edge = await new Edge([scope]).connect(transcription);
    const item = {
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello there." }] },
    };
    const answers = await edge.send(item, { type: "response.create" }, update({ type: "realtime" }), {
      type: "response.create",
    });
    expect(answers.filter(({ type }) => type === "error").map(({ error }) => [error?.code, error?.param])).toEqual([
      ["invalid_session_type", "type"],
      ["invalid_session_type", "session.type"],
      ["invalid_session_type", "type"],
    ]);
    expect(answers.filter(({ type }) => type.startsWith("response."))).toEqual([]);
    const [updated] = await edge.send(update({}));
    expect(updated).toMatchObject({ type: "session.updated", session: { type: "transcription" } });
  });
});
