import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TwilioSettings } from "#control-plane/phone/providers/twilio-settings";

/** A number that the account has. */
export interface OwnedNumber {
  phoneNumber: string;
  friendlyName: string;
  trunkSid: string | null;
}

type Request = "search" | "list" | "buy" | "release";

/** Before a request is carried out, after that, and when its answer has been sent. */
export type Moment = `${"before" | "after" | "answered"} ${Request}`;

/** What happens at a moment: a failure is answered, the connection ends without an answer, or hangs; null goes on. */
export type Behaviour = (moment: Moment) => number | "silence" | "hang" | null;

/**
 * A server that answers as Twilio's documents say of the resources AvailablePhoneNumber (local) and IncomingPhoneNumber:
 * paths, parameters, JSON, status codes and error codes.
 */
export interface TwilioServer {
  settings: TwilioSettings;
  /** By their SIDs. */
  numbers: Map<string, OwnedNumber>;
  /** Numbers that somebody else has. */
  soldElsewhere: Set<string>;
  requests: Request[];
  behave: Behaviour;
  stop(): Promise<void>;
}

/** What its documents list for any number. */
const capabilities = { voice: true, SMS: true, MMS: true, fax: false };
const inventory = [
  { number: "+14155550100", locality: "San Francisco", region: "CA", postalCode: "94105", country: "US" },
  { number: "+14155550101", locality: "San Francisco", region: "CA", postalCode: "94105", country: "US" },
  { number: "+12125550102", locality: "New York", region: "NY", postalCode: "10001", country: "US" },
  { number: "+16045550103", locality: "Vancouver", region: "BC", postalCode: null, country: "CA" },
];

export async function startTwilioServer(): Promise<TwilioServer> {
  const accountSid = `AC${randomBytes(16).toString("hex")}`;
  const server = createServer((request, response) => void answer(standIn, request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const standIn: TwilioServer = {
    settings: {
      ...{ accountSid, authToken: randomBytes(16).toString("hex"), trunkSid: `TK${"1".repeat(32)}` },
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      ...{ signalingAddresses: ["54.172.60.0/30"], terminationUri: "museum.pstn.twilio.com" },
      ...{ terminationUsername: "museum", terminationPassword: "termination canary" },
    },
    numbers: new Map(),
    soldElsewhere: new Set(),
    requests: [],
    behave: () => null,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return standIn;
}

interface Reply {
  status: number;
  body: unknown;
}

const failure = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

async function answer(standIn: TwilioServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? "", "http://twilio");
  const parameters =
    request.method === "GET" ? url.searchParams : new URLSearchParams(Buffer.concat(chunks).toString());
  const send = ({ status, body }: Reply): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(status === 204 ? "" : JSON.stringify(body));
  };
  const { accountSid, authToken } = standIn.settings;
  const credentials = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`;
  if (request.headers.authorization !== credentials) return send(failure(401, 20003, "Authenticate"));
  const kind = kindOf(request.method ?? "", url.pathname);
  if (kind === null || !url.pathname.startsWith(`/2010-04-01/Accounts/${accountSid}/`))
    return send(failure(404, 20404, `The requested resource ${url.pathname} was not found`));
  standIn.requests.push(kind);
  /** Whether the moment ends the request. */
  const ends = (moment: Moment): boolean => {
    const outcome = standIn.behave(moment);
    if (outcome === "silence") response.destroy();
    else if (typeof outcome === "number") send(failure(outcome, 20500, "An internal server error has occurred"));
    return outcome !== null;
  };
  if (ends(`before ${kind}`)) return;
  const reply = carryOut(standIn, kind, url.pathname, parameters);
  if (ends(`after ${kind}`)) return;
  response.on("finish", () => void standIn.behave(`answered ${kind}`));
  send(reply);
}

function kindOf(method: string, path: string): Request | null {
  if (method === "GET" && /\/AvailablePhoneNumbers\/[A-Z]{2}\/Local\.json$/.test(path)) return "search";
  if (path.endsWith("/IncomingPhoneNumbers.json")) return method === "GET" ? "list" : "buy";
  return method === "DELETE" && path.includes("/IncomingPhoneNumbers/PN") ? "release" : null;
}

function carryOut(standIn: TwilioServer, kind: Request, path: string, parameters: URLSearchParams): Reply {
  const { numbers, soldElsewhere } = standIn;
  switch (kind) {
    case "search":
      return { status: 200, body: searched(path, parameters) };
    case "list": {
      const asked = parameters.get("PhoneNumber");
      const found = [...numbers].filter(([, { phoneNumber }]) => asked === null || phoneNumber === asked);
      const own = found.map(([sid, number]) => resource(standIn, sid, number));
      return { status: 200, body: { incoming_phone_numbers: own, ...page(path) } };
    }
    case "buy": {
      const phoneNumber = parameters.get("PhoneNumber") ?? "";
      const isSold =
        soldElsewhere.has(phoneNumber) || [...numbers.values()].some((one) => one.phoneNumber === phoneNumber);
      if (isSold) return failure(400, 21422, `${phoneNumber} is not available`);
      const sid = `PN${randomBytes(16).toString("hex")}`;
      const friendlyName = parameters.get("FriendlyName") ?? phoneNumber;
      numbers.set(sid, { phoneNumber, friendlyName, trunkSid: parameters.get("TrunkSid") });
      return { status: 201, body: resource(standIn, sid, numbers.get(sid) as OwnedNumber) };
    }
    case "release": {
      const sid = /PN[0-9a-f]{32}/.exec(path)?.[0] ?? "";
      if (!numbers.delete(sid)) return failure(404, 20404, `The requested resource ${path} was not found`);
      return { status: 204, body: null };
    }
  }
}

function searched(path: string, parameters: URLSearchParams): object {
  const country = /AvailablePhoneNumbers\/([A-Z]{2})/.exec(path)?.[1];
  const prefix = `+1${parameters.get("AreaCode") ?? ""}`;
  const found = inventory.filter((one) => one.country === country && one.number.startsWith(prefix));
  return {
    available_phone_numbers: found.map(({ number, locality, region, postalCode }) => ({
      ...{ friendly_name: number, phone_number: number, lata: "722", rate_center: "SNFC CNTRL", locality, region },
      ...{ latitude: "37.780000", longitude: "-122.380000", postal_code: postalCode, iso_country: country },
      ...{ address_requirements: "none", beta: false, capabilities },
    })),
    ...page(path),
  };
}

const page = (path: string): object => ({
  ...{ end: 0, first_page_uri: path, next_page_uri: null, page: 0, page_size: 50, previous_page_uri: null, start: 0 },
  uri: path,
});

function resource({ settings }: TwilioServer, sid: string, number: OwnedNumber): object {
  return {
    ...{ account_sid: settings.accountSid, sid, phone_number: number.phoneNumber, friendly_name: number.friendlyName },
    ...{ trunk_sid: number.trunkSid, status: "in-use", origin: "twilio", capabilities, beta: false, type: "local" },
    ...{ date_created: "Mon, 23 Nov 2026 10:00:00 +0000", date_updated: "Mon, 23 Nov 2026 10:00:00 +0000" },
    uri: `/2010-04-01/Accounts/${settings.accountSid}/IncomingPhoneNumbers/${sid}.json`,
  };
}
