import {
  headerOf,
  headersOf,
  parameterOf,
  type SipHeader,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from "./message.js";

/** The transaction that a message belongs to. */
export function keyOf(message: SipMessage): string {
  const method = headerOf(message, "cseq").split(" ").at(-1) ?? "";
  return `${parameterOf(headerOf(message, "via"), "branch") ?? ""} ${method} ${headerOf(message, "call-id")}`;
}

/** A response with nothing but what every response repeats. */
export function responseTo(request: SipRequest, status: number, reason: string): SipResponse {
  const copied = ["Via", "From", "To", "Call-ID", "CSeq"].flatMap((name) =>
    headersOf(request, name).map((value) => [name, value] as const),
  );
  return { kind: "response", status, reason, headers: copied, body: "" };
}

/** The first response of a call names the side that answers. */
export function withToTag(response: SipResponse, tag: string): SipResponse {
  const headers = response.headers.map(
    ([name, value]): SipHeader => [name, name === "To" ? `${value};tag=${tag}` : value],
  );
  return { ...response, headers };
}

/** Acknowledges a refusal: RFC 3261, section 17.1.1.3, of the INVITE's own transaction. */
export function refusalAck(invite: SipRequest, response: SipResponse): SipRequest {
  const number = headerOf(invite, "cseq").split(" ")[0] ?? "1";
  const headers: SipHeader[] = [
    ["Via", headerOf(invite, "via")],
    ["Max-Forwards", "70"],
    ["From", headerOf(invite, "from")],
    ["To", headerOf(response, "to")],
    ["Call-ID", headerOf(invite, "call-id")],
    ["CSeq", `${number} ACK`],
  ];
  return { kind: "request", method: "ACK", uri: invite.uri, headers, body: "" };
}

/** Takes an INVITE back: RFC 3261, section 9.1. */
export function cancelOf(invite: SipRequest): SipRequest {
  const copied = ["Via", "Max-Forwards", "From", "To", "Call-ID"].map(
    (name): SipHeader => [name, headerOf(invite, name)],
  );
  const [number] = headerOf(invite, "cseq").split(" ");
  return {
    ...{ kind: "request", method: "CANCEL", uri: invite.uri, body: "" },
    headers: [...copied, ["CSeq", `${number} CANCEL`]],
  };
}
