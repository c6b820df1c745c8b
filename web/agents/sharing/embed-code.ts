/** Where the widget stands in the window, or that it stands where its element does. */
export const positions = ["bottom-right", "bottom-left", "top-right", "top-left", "inline"] as const;

/** What the widget on somebody's page is to be. */
export interface EmbedChoices {
  position: (typeof positions)[number];
  isOpen: boolean;
  /** Any CSS colour; empty is the widget's own. */
  colour: string;
  /** Address of a picture; empty for none. */
  avatar: string;
  /** What the button says that begins a call; empty is the widget's own word, in the reader's language. */
  startLabel: string;
}

/** The lines for a page that put the widget there; what is as the widget has it anyway is left out. */
export function embedCode(origin: string, agentId: string, choices: EmbedChoices): string {
  const { position, isOpen, colour, avatar, startLabel } = choices;
  const attributes = [
    ["agent-id", agentId],
    ...(position === "bottom-right" ? [] : [["position", position]]),
    ...(colour === "" ? [] : [["colour", colour]]),
    ...(avatar === "" ? [] : [["avatar", avatar]]),
    ...(startLabel === "" ? [] : [["labels", JSON.stringify({ start: startLabel })]]),
  ].map(([name, value]) => ` ${name}="${quoted(value ?? "")}"`);
  return [
    `<script src="${quoted(origin)}/widget.js" defer></script>`,
    `<parley-agent${attributes.join("")}${isOpen ? " open" : ""}></parley-agent>`,
  ].join("\n");
}

/** Text as it stands between the quotes of an attribute. */
function quoted(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
