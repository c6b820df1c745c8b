import { describe, expect, it } from "vitest";
import { controlSubjects, type Reply } from "#protocol/bus/control";
import {
  ownerPromptRequestSubject,
  type PromptReply,
  type PromptRequest,
  type SavedPrompt,
  type SavedPromptRequest,
} from "#protocol/bus/voice-prompts";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { samplesToBytes } from "#audio/pcm";
import { LocalBus } from "#common/bus/testing/local-bus";
import { fetchPrompt } from "./fetch-prompt.js";

const samples = Int16Array.of(1, -2, 3);
const id = "a".repeat(64);

describe("the recording of a voice", () => {
  it("comes from the owner of the chunk", async () => {
    const bus = new LocalBus();
    bus.respond<PromptRequest, PromptReply>(ownerPromptRequestSubject("edge-1"), async ({ promptId }) =>
      promptId === id ? { type: "voice-prompt", pcm: samplesToBytes(samples) } : { type: "gone" },
    );
    expect(await fetchPrompt(bus, { source: "stream", id }, "edge-1")).toEqual(samples);
    const gone = fetchPrompt(bus, { source: "stream", id: "b".repeat(64) }, "edge-1");
    await expect(gone).rejects.toMatchObject({ code: "unknown_reference" });
    const nobody = fetchPrompt(bus, { source: "stream", id }, "edge-2");
    await expect(nobody).rejects.toMatchObject({ code: "dependency_unavailable" });
  });

  it("comes from the library for a saved voice", async () => {
    const bus = new LocalBus();
    bus.respond<SavedPromptRequest, Reply<SavedPrompt>>(controlSubjects.voicePrompt, async ({ voiceId }) =>
      voiceId === "known"
        ? { ok: true, value: { pcm: samplesToBytes(samples) } }
        : { ok: false, error: toErrorRecord(new ServiceError("unknown_reference")) },
    );
    expect(await fetchPrompt(bus, { source: "library", id: "known" }, "edge-1")).toEqual(samples);
    const gone = fetchPrompt(bus, { source: "library", id: "gone" }, "edge-1");
    await expect(gone).rejects.toMatchObject({ code: "unknown_reference" });
  });

  it.each([0, 10 * 24_000 * 2 + 2])("is refused with %d bytes", async (bytes) => {
    const bus = new LocalBus();
    const pcm = new Uint8Array(bytes);
    bus.respond(ownerPromptRequestSubject("edge-1"), async () => ({ type: "voice-prompt", pcm }));
    await expect(fetchPrompt(bus, { source: "stream", id }, "edge-1")).rejects.toMatchObject({ code: "internal" });
  });
});
