/**
 * The first of `offered` that an `Accept-Encoding` header takes (RFC 9110 section 12.5.3), or null where the body goes
 * as it is. A weight of 0 refuses; otherwise weights are not compared: every client that takes two takes ours.
 */
export function acceptedEncoding(header: string | undefined, offered: Iterable<string>): string | null {
  const accepted = new Map<string, boolean>();
  for (const entry of (header ?? "").slice(0, 1000).split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    accepted.set(name, weight === undefined || Number(weight) > 0);
  }
  for (const name of offered) if (accepted.get(name) ?? accepted.get("*") ?? false) return name;
  return null;
}
