import { type G711, payloadTypes } from "./g711.js";

/** What one side of a call says about its audio (RFC 8866, as telephones use it). */
export interface AudioDescription {
  host: string;
  port: number;
  /** Best first. */
  codecs: G711[];
  /** The number of telephone events; null has none. */
  eventType: number | null;
}

const EVENT_TYPE = 101;

/** The offer or the answer of a side that takes these codecs, best first. */
export function describeAudio({ host, port, codecs, eventType }: AudioDescription): string {
  const types = [...codecs.map((codec) => payloadTypes[codec]), ...(eventType === null ? [] : [eventType])];
  const events = eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`];
  return [
    ...["v=0", `o=- ${port} 1 IN IP4 ${host}`, "s=call", `c=IN IP4 ${host}`, "t=0 0"],
    `m=audio ${port} RTP/AVP ${types.join(" ")}`,
    ...codecs.map((codec) => `a=rtpmap:${payloadTypes[codec]} ${codec}/8000`),
    ...[...events, "a=ptime:20", "a=sendrecv", ""],
  ].join("\r\n");
}

/** Null where there is no audio in it that a telephone of ours could hear. */
export function readAudio(sdp: string): AudioDescription | null {
  const lines = sdp.split("\n").map((line) => line.trim());
  const after = (prefix: string): string[] =>
    lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  const [media] = after("m=audio ");
  const host = after("c=IN IP4 ")[0] ?? "";
  const [port = "0", , ...types] = (media ?? "").split(" ");
  const codecs = (Object.keys(payloadTypes) as G711[]).filter((codec) => types.includes(String(payloadTypes[codec])));
  codecs.sort((one, other) => types.indexOf(String(payloadTypes[one])) - types.indexOf(String(payloadTypes[other])));
  const [event] = after("a=rtpmap:").filter((line) => line.toLowerCase().includes("telephone-event/8000"));
  if (codecs.length === 0 || Number(port) === 0) return null;
  return { host, port: Number(port), codecs, eventType: event === undefined ? null : Number(event.split(" ")[0]) };
}

/** The number under which an offer of ours has telephone events. */
export const offeredEventType = EVENT_TYPE;
