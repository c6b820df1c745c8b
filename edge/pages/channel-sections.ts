import { type ChannelMessage, type EventChannel, eventChannels } from "../openapi/event-channels.js";
import { details, fieldRows } from "./field-table.js";
import { escapeHtml } from "./html.js";

/** What `/asyncapi.json` describes, for people: each channel with the fields of its messages. */
export function channelSections(): string {
  return eventChannels().map(describeChannel).join("");
}

function describeChannel({ title, address, description, query, toService, fromService }: EventChannel): string {
  return (
    `<section class="card"><h3>${escapeHtml(title)}</h3>` +
    (address === null ? "" : `<p><span class="verb">WebSocket</span> <code>${escapeHtml(address)}</code></p>`) +
    `<p>${escapeHtml(description)}</p>` +
    (query === null ? "" : details("Query", fieldRows(query))) +
    describeMessages("You send", toService) +
    describeMessages("You receive", fromService) +
    "</section>"
  );
}

function describeMessages(heading: string, messages: readonly ChannelMessage[]): string {
  if (messages.length === 0) return "";
  return `<h4>${heading}</h4>${messages.map(describeMessage).join("")}`;
}

/** A message that its type alone describes has no table. */
function describeMessage({ name, summary, payload }: ChannelMessage): string {
  const rows = fieldRows(payload);
  const says = summary === "" ? name : `${name}: ${summary}`;
  return rows.length < 2
    ? `<p class="message"><code>${escapeHtml(name)}</code> ${escapeHtml(summary)}</p>`
    : details(says, rows);
}
