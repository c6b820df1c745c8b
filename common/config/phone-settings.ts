import { choice, integer, list, text, url } from "./setting.js";

/** What phone calls and numbers of Twilio need; part of the one declaration in `common/config/config.ts`. */
export const phoneSettings = {
  PARLEY_OUTBOUND_CALLS: choice({
    default: "on",
    values: ["on", "off"],
    doc: "Whether teams may have their agents call numbers; off answers 403.",
  }),
  PARLEY_CALL_ALLOW: list({
    default: [],
    doc: "Prefixes of the numbers that agents may call, such as `+1, +4930`; every number when empty.",
  }),
  PARLEY_CALL_DENY: list({
    default: [],
    doc: "Prefixes of numbers that agents may not call, whatever PARLEY_CALL_ALLOW says. Premium-rate and satellite numbers are never called.",
  }),
  PARLEY_CALL_RING_SECONDS: integer({
    default: 30,
    min: 5,
    max: 80,
    doc: "How long an outbound call rings before it counts as not answered.",
  }),
  TWILIO_ACCOUNT_SID: text({
    doc: "Account of Twilio that phone numbers are bought in. None can be bought when absent.",
  }),
  TWILIO_AUTH_TOKEN: text({ secret: true, doc: "Auth token of TWILIO_ACCOUNT_SID." }),
  TWILIO_BASE_URL: url({
    schemes: ["http", "https"],
    doc: "Address of Twilio's REST API; https://api.twilio.com when absent. Another one of its edges, or a server that answers as it does.",
  }),
  TWILIO_TRUNK_SID: text({
    doc: "Elastic SIP trunk (`TK…`) that bought numbers are put on, and whose origination URI leads to LiveKit SIP. Without it the operator has to lead their calls there.",
  }),
  TWILIO_SIGNALING_ADDRESSES: list({
    default: [
      ...["54.172.60.0/30", "54.244.51.0/30", "54.171.127.192/30", "35.156.191.128/30"],
      ...["54.65.63.192/30", "54.169.127.128/30", "54.252.254.64/30", "177.71.206.192/30"],
    ],
    doc: "Addresses and blocks that calls to bought numbers are taken from: those that Twilio publishes for SIP signalling.",
  }),
  TWILIO_TERMINATION_URI: text({
    doc: "Where calls from bought numbers leave to: `<name>.pstn.twilio.com`, the termination URI of the trunk. They take calls only when absent.",
  }),
  TWILIO_TERMINATION_USERNAME: text({ doc: "User name of the trunk's credential list." }),
  TWILIO_TERMINATION_PASSWORD: text({ secret: true, doc: "Password of the trunk's credential list." }),
};

/** What is wrong with these settings together. */
export function phoneProblems(values: Readonly<Record<string, unknown>>): string[] {
  return [...prefixProblems(values), ...twilioProblems(values)];
}

function prefixProblems(values: Readonly<Record<string, unknown>>): string[] {
  return ["PARLEY_CALL_ALLOW", "PARLEY_CALL_DENY"].flatMap((name) => {
    const prefixes = (values[name] ?? []) as readonly string[];
    const wrong = prefixes.find((prefix) => !/^\+[1-9]\d{0,14}$/.test(prefix));
    return wrong === undefined ? [] : [`${name} must list prefixes such as +49, not "${wrong}"`];
  });
}

function twilioProblems(values: Readonly<Record<string, unknown>>): string[] {
  const [accountSid, authToken] = [values["TWILIO_ACCOUNT_SID"], values["TWILIO_AUTH_TOKEN"]];
  if (typeof accountSid !== "string" && typeof authToken !== "string") return [];
  if (typeof accountSid !== "string" || typeof authToken !== "string")
    return ["TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN need each other"];
  return /^AC[0-9a-f]{32}$/.test(accountSid)
    ? []
    : ["TWILIO_ACCOUNT_SID must be AC and 32 hexadecimal digits, as Twilio's console shows it"];
}
