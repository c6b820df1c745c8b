import type { Caption } from "../../call/caption.js";
import type { Words } from "../words/words.js";
import { build, setText } from "./build.js";

/** So near the end the reader is taken to follow what is said. */
const FOLLOWED_PX = 40;

/** What both sides say and write, in a box that scrolls. */
export class Transcript {
  readonly element = build("div", { class: "transcript", tabindex: "0", role: "group" });
  readonly #list = build("ol");
  #lines = new Map<string, { line: HTMLLIElement; text: HTMLElement }>();

  constructor() {
    this.element.append(this.#list);
  }

  /** Begins the transcript of another call. */
  clear(): void {
    this.#lines = new Map();
    this.#list.replaceChildren();
  }

  /** Shows a caption, in place of what was known of it. */
  show({ id, speaker, text, isFinal }: Caption, words: Words): void {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    const isFollowed = scrollHeight - scrollTop - clientHeight < FOLLOWED_PX;
    const shown = this.#lines.get(id) ?? this.#add(id, speaker, words);
    setText(shown.text, text);
    shown.line.classList.toggle("partial", !isFinal);
    if (isFollowed) this.element.scrollTop = this.element.scrollHeight;
  }

  #add(id: string, speaker: Caption["speaker"], words: Words): { line: HTMLLIElement; text: HTMLElement } {
    const text = build("span");
    const name = build("span", { class: "unseen" }, `${speaker === "agent" ? words.agent : words.you}: `);
    const line = build("li", { class: speaker }, name, text);
    this.#list.append(line);
    this.#lines.set(id, { line, text });
    return { line, text };
  }
}
