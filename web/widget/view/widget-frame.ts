import css from "../widget.css?inline";
import { readableInk } from "../readable-ink.js";
import type { WidgetSettings } from "../settings.js";
import type { WidgetView } from "../widget-view.js";
import { build } from "./build.js";
import { drawIcon } from "./icons.js";
import { Panel, type WidgetActions } from "./panel.js";

/**
 * The widget in its shadow root: a button that opens the panel, and the panel. The outermost element takes nothing from
 * the page: rules of the page reach the host, and what it inherits ends there.
 */
export class WidgetFrame {
  readonly panel: Panel;
  readonly #frame: HTMLElement;
  readonly #launcher = build("button", { type: "button", class: "launcher", "aria-controls": "panel" });

  constructor(root: ShadowRoot, actions: WidgetActions) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
    this.panel = new Panel(actions);
    this.#launcher.append(drawIcon("talk"));
    this.#launcher.addEventListener("click", actions.toggle);
    this.#frame = build("div", { class: "frame" }, this.panel.element, this.#launcher);
    root.append(this.#frame);
    this.#frame.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.panel.element.hidden && !this.#launcher.hidden) actions.toggle();
    });
    // A page's own shortcuts are not meant for what is typed here.
    for (const name of ["keydown", "keyup", "keypress"])
      this.#frame.addEventListener(name, (event) => event.stopPropagation());
  }

  /** Sets what the page has chosen: place, colour, words. */
  configure(settings: WidgetSettings): void {
    const { style } = this.#frame;
    this.#frame.dataset["position"] = settings.position;
    this.#frame.lang = settings.language;
    for (const name of ["--accent", "--ink"]) style.removeProperty(name);
    if (settings.colour !== null && CSS.supports("color", settings.colour)) {
      style.setProperty("--accent", settings.colour);
      style.setProperty("--ink", readableInk(getComputedStyle(this.#launcher).backgroundColor));
    }
    this.panel.configure(settings);
  }

  show(view: WidgetView, settings: WidgetSettings): void {
    this.#frame.dataset["state"] = view.state;
    this.#launcher.hidden = !view.isFloating;
    this.#launcher.setAttribute("aria-expanded", String(view.isOpen));
    this.#launcher.setAttribute(
      "aria-label",
      view.isUnderWay ? `${settings.words.open}: ${view.status}` : settings.words.open,
    );
    this.panel.show(view, settings);
  }

  focusLauncher(): void {
    this.#launcher.focus();
  }
}
