import { MessageReader, messageOf } from "../../harness/protobuf.js";

/**
 * The messages in which psrpc wraps its calls: https://github.com/livekit/psrpc/blob/main/internal/internal.proto. On
 * Redis each travels as a `Msg`, which names its type.
 */
const TYPE_PREFIX = "type.googleapis.com/";

/** A request of a client to all servers of a method. */
export interface PsrpcRequest {
  requestId: string;
  clientId: string;
  /** When the client gives up, in ns since 1970. */
  expiryNs: number;
  body: Buffer;
}

/** The answer: a body, or an error with psrpc's code and details. */
export interface PsrpcResponse {
  requestId: string;
  serverId: string;
  body: Buffer;
  error: string;
  code: string;
  /** A `google.protobuf.Any`; empty is none. */
  detail: Buffer;
}

/** A server's offer to answer a request, and the client's choice. */
export interface PsrpcClaim {
  requestId: string;
  serverId: string;
}

/** A message with its type, as `google.protobuf.Any` has it. */
export function anyOf(type: string, value: Buffer): Buffer {
  return messageOf({ 1: TYPE_PREFIX + type, 2: value });
}

export function requestBytes({ requestId, clientId, expiryNs, body }: PsrpcRequest): Buffer {
  const sentNs = BigInt(Date.now()) * 1_000_000n;
  return anyOf("internal.Request", messageOf({ 1: requestId, 2: clientId, 3: sentNs, 4: BigInt(expiryNs), 8: body }));
}

export function responseBytes({ requestId, serverId, body, error, code, detail }: PsrpcResponse): Buffer {
  const sentNs = BigInt(Date.now()) * 1_000_000n;
  const fields = { 1: requestId, 2: serverId, 3: sentNs, 5: error, 6: code, 7: body };
  return anyOf("internal.Response", messageOf({ ...fields, 8: detail.length === 0 ? null : detail }));
}

/** A claim with an affinity of one: `float`, which `messageOf` does not write. */
export function claimRequestBytes({ requestId, serverId }: PsrpcClaim): Buffer {
  const affinity = Buffer.alloc(5);
  affinity.writeUInt8((3 << 3) | 5, 0);
  affinity.writeFloatLE(1, 1);
  return anyOf("internal.ClaimRequest", Buffer.concat([messageOf({ 1: requestId, 2: serverId }), affinity]));
}

export function claimResponseBytes({ requestId, serverId }: PsrpcClaim): Buffer {
  return anyOf("internal.ClaimResponse", messageOf({ 1: requestId, 2: serverId }));
}

const inner = (bytes: Buffer): MessageReader => new MessageReader(bytes).message(2);

export function readRequest(bytes: Buffer): PsrpcRequest {
  const message = inner(bytes);
  return {
    requestId: message.text(1),
    clientId: message.text(2),
    expiryNs: message.integer(4),
    body: message.bytes(8),
  };
}

export function readResponse(bytes: Buffer): PsrpcResponse {
  const message = inner(bytes);
  return {
    requestId: message.text(1),
    serverId: message.text(2),
    error: message.text(5),
    code: message.text(6),
    body: message.bytes(7),
    detail: message.bytes(8),
  };
}

/** Of either direction: both have the same fields in front. */
export function readClaim(bytes: Buffer): PsrpcClaim {
  const message = inner(bytes);
  return { requestId: message.text(1), serverId: message.text(2) };
}
