import { describe, expect, it } from "vitest";
import { readSettings } from "./settings.js";
import { announcementOf, viewOf, type WidgetModel } from "./widget-view.js";
import { en } from "./words/en.js";

const settingsOf = (attributes: Record<string, string>) =>
  readSettings((name) => attributes[name] ?? null, { serverUrl: "http://server", languages: [] });
const idle: WidgetModel = {
  settings: settingsOf({ "agent-id": "a" }),
  agentName: null,
  isOpen: false,
  state: "idle",
  failure: null,
  microphone: { isOpen: false, isMuted: false },
};

describe("what the widget shows", () => {
  it("is closed, and a name, until somebody opens it", () => {
    expect(viewOf(idle)).toEqual({
      isOpen: false,
      isFloating: true,
      title: en.title,
      state: "idle",
      status: en.idle,
      alert: "",
      isUnderWay: false,
      microphone: "none",
      isMuted: false,
    });
    expect(viewOf({ ...idle, settings: settingsOf({ position: "inline" }) })).toMatchObject({
      isOpen: true,
      isFloating: false,
    });
  });

  it("has the agent's name, unless the page gives another", () => {
    expect(viewOf({ ...idle, agentName: "Ada" }).title).toBe("Ada");
    expect(viewOf({ ...idle, agentName: "Ada", settings: settingsOf({ "agent-name": "Eva" }) }).title).toBe("Eva");
  });

  it("says that nobody is heard where the microphone is off", () => {
    const muted = { isOpen: true, isMuted: true };
    expect(viewOf({ ...idle, state: "listening", microphone: muted })).toMatchObject({
      status: en.muted,
      microphone: "open",
      isMuted: true,
    });
    expect(viewOf({ ...idle, state: "speaking", microphone: muted }).status).toBe(en.speaking);
    expect(viewOf({ ...idle, state: "listening" })).toMatchObject({ status: en.listening, microphone: "closed" });
  });

  it("says what went wrong, also with a microphone in the middle of a call", () => {
    expect(viewOf({ ...idle, state: "failed", failure: "busy" })).toMatchObject({
      status: "",
      alert: en.failures.busy,
      isUnderWay: false,
    });
    expect(viewOf({ ...idle, state: "thinking", failure: "microphone_denied" })).toMatchObject({
      status: en.thinking,
      alert: en.failures.microphone_denied,
      isUnderWay: true,
    });
  });

  it("is announced at the beginning and at the end, not at every turn", () => {
    const { settings } = idle;
    expect(announcementOf("idle", "connecting", settings)).toBe(en.connecting);
    expect(announcementOf("connecting", "listening", settings)).toBe(en.listening);
    expect(announcementOf("listening", "thinking", settings)).toBeNull();
    expect(announcementOf("speaking", "ended", settings)).toBe(en.ended);
  });
});
