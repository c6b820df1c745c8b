import { z } from "zod";
import { pageEnvelope, pageQuery } from "../paging.js";
import { recordText } from "../text.js";
import { e164Number, reference, timestamp } from "./text.js";

export const phoneProviders = ["livekit", "twilio", "sip"] as const;
const phoneStatuses = ["provisioning", "active", "error", "released"] as const;
const sipTransports = ["auto", "udp", "tcp", "tls"] as const;
/** By what calls leave to a trunk; `auto` is the gateway's choice. */
export type SipTransport = (typeof sipTransports)[number];

/** Live numbers that one team may hold; those that a provider refused are none. */
export const MAX_PHONE_NUMBERS = 20;

const label = recordText(0, 120);
const agentId = reference.nullable().default(null);

/** Buying from the managed inventory. */
const phonePurchase = z.strictObject({
  provider: z.literal("twilio"),
  phone_number: e164Number,
  label: label.default(""),
  agent_id: agentId,
});
export type PhonePurchase = z.output<typeof phonePurchase>;

/** An address or a range of them in CIDR notation (RFC 4632 section 3.1, RFC 4291 section 2.3). */
const addressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: "Input should be an IP address or a CIDR range",
});

/** `hostname[:port]`, without a scheme: where a trunk takes calls. */
const terminationUri = z
  .string()
  .refine(isTerminationUri, { message: "Input should be a host name with an optional port" });

/** Whether a text is empty or a bare host name, or an IPv4 address, with an optional port. */
function isTerminationUri(text: string): boolean {
  if (text === "") return true;
  const [, host = "", port] = /^([^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const labels = host.split(".");
  const isHost =
    host.length <= 253 &&
    labels.length > 1 &&
    labels.every((part) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(part));
  return isHost && (port === undefined || (Number(port) > 0 && Number(port) < 65_536));
}

const sipFields = {
  inbound_auth_username: recordText(0, 256).default(""),
  /** Write-only, as every password here. */
  inbound_auth_password: recordText(0, 256).default(""),
  inbound_allowed_addresses: z.array(addressRange).max(32).default([]),
  termination_uri: terminationUri.default(""),
  termination_transport: z.enum(sipTransports).default("auto"),
  termination_auth_username: recordText(0, 256).default(""),
  termination_auth_password: recordText(0, 256).default(""),
};

/** How calls reach an imported number and leave from it. */
export const sipConfig = z.strictObject(sipFields);
export type SipConfig = z.output<typeof sipConfig>;

/** Bringing a number of one's own, by a trunk of one's carrier. */
const phoneImport = z.strictObject({
  provider: z.literal("sip"),
  phone_number: e164Number,
  label: label.default(""),
  agent_id: agentId,
  ...sipFields,
});
export type PhoneImport = z.output<typeof phoneImport>;

/** Body of `POST /v1/agent/phone-numbers`. What depends on several fields is checked by `sipProblems`. */
export const phoneCreate = z.discriminatedUnion("provider", [phonePurchase, phoneImport]);

/**
 * What is wrong with a trunk as a whole: the field that it concerns, and the message; empty when nothing is.
 * `hasStored` tells of passwords that are kept when the one given is empty.
 */
export function sipProblems(
  config: SipConfig,
  hasStored: { inbound: boolean; termination: boolean },
): { field: keyof SipConfig; message: string }[] {
  const inboundPassword = config.inbound_auth_password !== "" || hasStored.inbound;
  const terminationPassword = config.termination_auth_password !== "" || hasStored.termination;
  const noFactor = config.inbound_auth_username === "" && config.inbound_allowed_addresses.length === 0;
  const strayPassword = config.termination_auth_username === "" && config.termination_auth_password !== "";
  const findings: [boolean, keyof SipConfig, string][] = [
    [noFactor, "inbound_allowed_addresses", "Credentials or allowed addresses are required"],
    [
      config.inbound_auth_username !== "" && !inboundPassword,
      "inbound_auth_password",
      "A user name requires a password",
    ],
    [
      config.inbound_auth_username === "" && config.inbound_auth_password !== "",
      "inbound_auth_username",
      "A password requires a user name",
    ],
    [
      config.termination_auth_username !== "" && !terminationPassword,
      "termination_auth_password",
      "A user name requires a password",
    ],
    [strayPassword, "termination_auth_username", "A password requires a user name"],
    [
      config.termination_auth_username !== "" && config.termination_uri === "",
      "termination_uri",
      "Credentials require a termination_uri",
    ],
  ];
  return findings.flatMap(([wrong, field, message]) => (wrong ? [{ field, message }] : []));
}

/** Body of `PATCH /v1/agent/phone-numbers/{id}`; `agent_id: null` unbinds. */
export const phoneUpdate = z.strictObject({ label: label.optional(), agent_id: reference.nullable().optional() });
export type PhoneUpdate = z.output<typeof phoneUpdate>;

export const phoneEntity = z.object({
  phone_number_id: z.string(),
  workspace_id: z.string(),
  phone_number: z.string(),
  provider: z.enum(phoneProviders),
  label: z.string(),
  agent_id: z.string().nullable(),
  status: z.enum(phoneStatuses),
  /** What failed when the status is `error`, or what a live number waits for; empty otherwise. */
  status_detail: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
  /** Imported numbers only, as everything below. */
  supports_outbound: z.boolean().optional(),
  inbound_auth_username: z.string().optional(),
  inbound_allowed_addresses: z.array(z.string()).optional(),
  termination_uri: z.string().optional(),
  termination_transport: z.enum(sipTransports).optional(),
  termination_auth_username: z.string().optional(),
});
export type PhoneEntity = z.output<typeof phoneEntity>;

export const phoneList = pageEnvelope.extend({ phone_numbers: z.array(phoneEntity) });
/** Query of `GET /v1/agent/phone-numbers`. */
export const phoneListQuery = pageQuery.extend({
  phone_number: z.string().optional(),
  agent_id: z.string().optional(),
});
export type PhoneListQuery = z.output<typeof phoneListQuery>;

/** Query of `GET /v1/agent/available-phone-numbers`. */
export const availablePhoneQuery = z.object({
  country_code: z.string().default("US"),
  area_code: z
    .string()
    .regex(/^\d{3}$/, { message: "Input should be three digits" })
    .optional(),
  number_type: z.enum(["local", "toll_free"]).default("local"),
  provider: z.literal("twilio").optional(),
});

/** A number that can be bought. What the provider does not say of it is empty. */
const availablePhone = z.object({
  phone_number: z.string(),
  friendly_name: z.string(),
  country_code: z.string(),
  region: z.string(),
  locality: z.string(),
  postal_code: z.string(),
  number_type: z.literal("local"),
  provider: z.literal("twilio"),
});
export type AvailablePhone = z.output<typeof availablePhone>;

export const availablePhoneList = z.object({ available_phone_numbers: z.array(availablePhone) });
