import type { Caption } from "../../call/caption.js";
import type { WidgetSettings } from "../settings.js";
import type { WidgetView } from "../widget-view.js";
import { build, setText } from "./build.js";
import { drawIcon } from "./icons.js";
import { Transcript } from "./transcript.js";

/** What a reader of the page does with the widget. */
export interface WidgetActions {
  toggle(): void;
  start(): void;
  end(): void;
  toggleMicrophone(): void;
  send(text: string): void;
}

/** The panel of the widget: who answers, what is said, and what can be done. */
export class Panel {
  readonly element: HTMLElement;
  readonly #title = build("h2");
  readonly #status = build("p", { class: "status" });
  readonly #avatar = build("img", { alt: "", hidden: "" });
  readonly #alert = build("p", { class: "alert", role: "alert" });
  readonly #announcer = build("div", { class: "unseen", role: "status" });
  readonly #log = build("div", { class: "unseen", role: "log" });
  readonly #transcript = new Transcript();
  readonly #close = build("button", { type: "button", class: "plain" }, drawIcon("close"));
  readonly #start = build("button", { type: "button", class: "main" });
  readonly #microphone = build("button", { type: "button" });
  readonly #end = build("button", { type: "button", class: "end" });
  readonly #input = build("input", { type: "text", maxlength: "4000", autocomplete: "off", enterkeyhint: "send" });
  readonly #send = build("button", { type: "submit", class: "plain" }, drawIcon("send"));

  constructor(actions: WidgetActions) {
    const head = build("header", {}, this.#avatar, build("div", {}, this.#title, this.#status), this.#close);
    const controls = build("div", { class: "controls" }, this.#start, this.#microphone, this.#end);
    const form = build("form", {}, this.#input, this.#send);
    const parts = [head, this.#transcript.element, this.#alert, controls, form, this.#announcer, this.#log];
    this.element = build("section", { class: "panel", id: "panel" }, ...parts);
    this.#avatar.addEventListener("error", () => {
      this.#avatar.hidden = true;
    });
    this.#close.addEventListener("click", actions.toggle);
    this.#start.addEventListener("click", actions.start);
    this.#microphone.addEventListener("click", actions.toggleMicrophone);
    this.#end.addEventListener("click", actions.end);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#input.value;
      this.#input.value = "";
      if (text.trim() !== "") actions.send(text);
    });
  }

  /** Sets what the page has chosen: words and picture. */
  configure({ words, avatar }: WidgetSettings): void {
    setText(this.#start, words.start);
    setText(this.#end, words.end);
    this.#close.setAttribute("aria-label", words.close);
    this.#send.setAttribute("aria-label", words.send);
    this.#input.setAttribute("aria-label", words.write);
    this.#input.placeholder = words.write;
    this.#transcript.element.setAttribute("aria-label", words.transcript);
    this.#log.setAttribute("aria-label", words.transcript);
    if (this.#avatar.getAttribute("src") === avatar) return;
    this.#avatar.hidden = avatar === null;
    if (avatar === null) this.#avatar.removeAttribute("src");
    else this.#avatar.src = avatar;
  }

  show(view: WidgetView, { words }: WidgetSettings): void {
    const focused = (this.element.getRootNode() as ShadowRoot).activeElement;
    this.element.hidden = !view.isOpen;
    this.element.setAttribute("aria-label", view.title);
    setText(this.#title, view.title);
    setText(this.#status, view.status);
    setText(this.#alert, view.alert);
    this.#alert.hidden = view.alert === "";
    this.#close.hidden = !view.isFloating;
    this.#start.hidden = view.isUnderWay;
    this.#end.hidden = !view.isUnderWay;
    this.#microphone.hidden = view.microphone === "none";
    setText(this.#microphone, view.microphone === "open" ? words.mute : words.microphone);
    if (view.microphone === "open") this.#microphone.setAttribute("aria-pressed", String(view.isMuted));
    else this.#microphone.removeAttribute("aria-pressed");
    // A button that goes away under the keyboard leaves its place to the one that comes.
    if (focused instanceof HTMLElement && focused.hidden && view.isOpen) this.focus(view);
  }

  /** Puts the keyboard where the reader goes on. */
  focus(view: WidgetView): void {
    (view.isUnderWay ? this.#end : this.#start).focus();
  }

  caption(caption: Caption, { words }: WidgetSettings): void {
    this.#transcript.show(caption, words);
    if (caption.isFinal && caption.speaker === "agent") setText(this.#log, `${words.agent}: ${caption.text}`);
  }

  clearTranscript(): void {
    this.#transcript.clear();
  }

  /** Has a screen reader say this. */
  announce(text: string): void {
    setText(this.#announcer, text);
  }
}
