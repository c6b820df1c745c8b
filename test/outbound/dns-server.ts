import { createSocket } from "node:dgram";
import { isIPv4 } from "node:net";

/**
 * What our name server does with a question: addresses of the asked family, a CNAME before them, an error code, noise,
 * or nothing at all.
 */
export type DnsBehaviour =
  | { addresses: readonly string[]; alias?: string; afterMs?: number }
  | { errorCode: number }
  | { garbage: true }
  | { silent: true };

/** Decides on a question; `asked` counts how often this name and family came before. */
export type DnsZone = (name: string, family: 4 | 6, asked: number) => DnsBehaviour;

export interface DnsServer {
  /** As `createOutbound` takes it. */
  address: string;
  /** Questions for a name, of both families, so far. */
  questions(name: string): number;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;

/**
 * A name server of our own on a loopback port (RFC 1035, as much of it as a resolver needs). Every answer has a
 * lifetime of 0 seconds.
 */
export async function startDnsServer(zone: DnsZone): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked = new Map<string, number>();
  socket.on("message", (message, peer) => {
    const question = readQuestion(message);
    if (question === null) return;
    const { name, family } = question;
    const key = `${name} ${family}`;
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    const behaviour = zone(name, family, count);
    if ("silent" in behaviour) return;
    const reply =
      "garbage" in behaviour ? Buffer.from("not a DNS message at all") : answer(message, question, behaviour);
    const send = (): void => socket.send(reply, peer.port, peer.address);
    if ("afterMs" in behaviour && behaviour.afterMs !== undefined) setTimeout(send, behaviour.afterMs).unref();
    else send();
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: (name) => (asked.get(`${name} 4`) ?? 0) + (asked.get(`${name} 6`) ?? 0),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

interface Question {
  name: string;
  family: 4 | 6;
  /** Where the question section ends. */
  end: number;
}

function readQuestion(message: Buffer): Question | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = message.readUInt16BE(at + 1);
  if (type !== TYPE_A && type !== TYPE_AAAA) return null;
  return { name: labels.join(".").toLowerCase(), family: type === TYPE_A ? 4 : 6, end: at + 5 };
}

function answer(
  message: Buffer,
  question: Question,
  behaviour: Extract<DnsBehaviour, { addresses: unknown } | { errorCode: number }>,
): Buffer {
  const records = "errorCode" in behaviour ? [] : recordsFor(question, behaviour);
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  // Response, recursion desired and available; the low bits are the error code.
  header.writeUInt16BE(0x8180 | ("errorCode" in behaviour ? behaviour.errorCode : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, message.subarray(12, question.end), ...records]);
}

function recordsFor(question: Question, behaviour: { addresses: readonly string[]; alias?: string }): Buffer[] {
  const ofFamily = behaviour.addresses.filter((address) => isIPv4(address) === (question.family === 4));
  const owner = behaviour.alias ?? question.name;
  const type = question.family === 4 ? TYPE_A : TYPE_AAAA;
  const addresses = ofFamily.map((address) =>
    record(owner, type, question.family === 4 ? bytesOfV4(address) : bytesOfV6(address)),
  );
  return behaviour.alias === undefined
    ? addresses
    : [record(question.name, TYPE_CNAME, encodeName(behaviour.alias)), ...addresses];
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(0, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(owner), fixed, data]);
}

function encodeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

function bytesOfV4(address: string): Buffer {
  return Buffer.from(address.split(".").map(Number));
}

function bytesOfV6(address: string): Buffer {
  const [head = "", tail = ""] = address.split("::");
  const words = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16));
  const [left, right] = [words(head), words(tail)];
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}
