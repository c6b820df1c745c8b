import type { CallEvents } from "../call/agent-call.js";
import type { CallOptions } from "../call/call-options.js";
import type { CallState } from "../call/call-state.js";
import type { ToolFunction } from "../call/client-tools.js";
import type { JoinRoom } from "../call/room.js";
import { attributeNames, readSettings, type WidgetSettings } from "./settings.js";
import { WidgetFrame } from "./view/widget-frame.js";
import { WidgetCall } from "./widget-call.js";
import { fetchWidgetConfig } from "./widget-config.js";
import { announcementOf, viewOf, type WidgetView } from "./widget-view.js";

/** What the element takes from the page that it was loaded into. */
export interface Surroundings {
  /** Where the script came from; null where that cannot be known. */
  serverUrl: string | null;
  joinRoom: JoinRoom;
}

/** `<parley-agent agent-id="…">`: an agent to talk to (docs/widget.md). */
export class AgentElement extends HTMLElement {
  static readonly observedAttributes: readonly string[] = attributeNames;
  readonly #surroundings: Surroundings;
  readonly #frame: WidgetFrame;
  readonly #calls: WidgetCall;
  #settings: WidgetSettings;
  #agentName: string | null = null;
  /** Of which agent the name was asked last. */
  #askedFor = "";

  constructor(surroundings: Surroundings) {
    super();
    this.#surroundings = surroundings;
    // The page reads of problems once it can listen.
    this.#settings = { ...this.#readSettings(), problems: [] };
    this.#calls = new WidgetCall(surroundings.joinRoom, {
      onBegin: () => this.#frame.panel.clearTranscript(),
      onChange: () => this.#show(),
      onEvent: (name, event) => this.#pass(name, event),
    });
    this.#frame = new WidgetFrame(this.attachShadow({ mode: "closed" }), {
      toggle: () => this.#toggle(),
      start: () => this.start(),
      end: () => this.end(),
      toggleMicrophone: () => this.#toggleMicrophone(),
      send: (text) => this.sendMessage(text),
    });
  }

  connectedCallback(): void {
    this.#configure();
  }

  disconnectedCallback(): void {
    // Moved inside its page, it is connected again at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.end();
    });
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.isConnected || before === after) return;
    this.#configure();
    if (name === "open" && (before === null) !== (after === null))
      this.#dispatch(after === null ? "close" : "open", {});
  }

  /** What the call is at. */
  get state(): CallState {
    return this.#calls.state;
  }

  /** Whether the agent does not hear the microphone. */
  get muted(): boolean {
    return this.#calls.microphone.isMuted;
  }

  set muted(isMuted: boolean) {
    void this.#calls.setMuted(isMuted);
  }

  /** Begins a call; browsers ask for the microphone now, unless it is one in writing. Call it from a click. */
  start({ microphone = true }: { microphone?: boolean } = {}): void {
    this.#calls.start(this.#callOptions(), { microphone });
  }

  /** Hangs up. */
  end(): void {
    this.#calls.end();
  }

  /** Writes to the agent, in a call that begins with it where none is under way. */
  sendMessage(text: string): void {
    this.#calls.send(text, this.#callOptions());
  }

  /** Has the page run a tool of the agent; what `run` gives is what the agent reads. */
  registerTool(name: string, run: ToolFunction): void {
    this.#calls.registerTool(name, run);
  }

  #readSettings(): WidgetSettings {
    const pageLanguage = this.closest("[lang]")?.getAttribute("lang") ?? "";
    return readSettings((name) => this.getAttribute(name), {
      serverUrl: this.#surroundings.serverUrl,
      languages: [pageLanguage, ...navigator.languages],
    });
  }

  #callOptions(): CallOptions {
    const { agentId, serverUrl, dynamicVariables, endUserId, metadata } = this.#settings;
    return { agentId, serverUrl, dynamicVariables, endUserId, metadata };
  }

  #configure(): void {
    const { problems: before } = this.#settings;
    this.#settings = this.#readSettings();
    const { problems } = this.#settings;
    if (problems.join() !== before.join() && problems.length > 0) this.#dispatch("problem", { problems });
    this.#frame.configure(this.#settings);
    this.#show();
    void this.#askName();
  }

  async #askName(): Promise<void> {
    const { agentId, serverUrl, agentName } = this.#settings;
    const asked = `${serverUrl} ${agentId}`;
    if (agentName !== null || agentId === "" || !URL.canParse(serverUrl) || asked === this.#askedFor) return;
    this.#askedFor = asked;
    const { agent_name: name = null } = await fetchWidgetConfig(serverUrl, agentId);
    if (asked !== this.#askedFor) return;
    this.#agentName = name;
    this.#show();
  }

  #view(): WidgetView {
    const { state, failure, microphone } = this.#calls;
    const isOpen = this.hasAttribute("open");
    return viewOf({ settings: this.#settings, agentName: this.#agentName, isOpen, state, failure, microphone });
  }

  #show(): void {
    this.#frame.show(this.#view(), this.#settings);
  }

  #toggle(): void {
    const isOpen = this.toggleAttribute("open");
    if (isOpen) this.#frame.panel.focus(this.#view());
    else this.#frame.focusLauncher();
  }

  #toggleMicrophone(): void {
    const { isOpen, isMuted } = this.#calls.microphone;
    if (isOpen) void this.#calls.setMuted(!isMuted);
    else void this.#calls.openMicrophone();
  }

  #pass<Name extends keyof CallEvents>(name: Name, event: CallEvents[Name]): void {
    const told = { name, event } as {
      [Each in keyof CallEvents]: { name: Each; event: CallEvents[Each] };
    }[keyof CallEvents];
    switch (told.name) {
      case "state": {
        const { state, previous } = told.event;
        const words = announcementOf(previous, state, this.#settings);
        if (words !== null) this.#frame.panel.announce(words);
        if (state !== "ended" && state !== "failed") this.#dispatch(state, { previous });
        return;
      }
      case "caption":
        this.#frame.panel.caption(told.event, this.#settings);
        return this.#dispatch("caption", told.event);
      case "failed": {
        const { code, message, status } = told.event;
        return this.#dispatch("failed", { code, message, status });
      }
      default:
        this.#dispatch(told.name, told.event);
    }
  }

  #dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
