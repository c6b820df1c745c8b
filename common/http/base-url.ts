/**
 * How a client reached this service, as its request says; null where it does not. Only an ordinary host name is
 * believed: it ends up in commands that people copy and in addresses that they follow.
 */
export function baseUrlOf(header: (name: "host" | "x-forwarded-proto") => string | undefined): string | null {
  const host = header("host") ?? "";
  const scheme = header("x-forwarded-proto") === "https" ? "https" : "http";
  return /^[\w.-]{1,253}(:\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](:\d{1,5})?$/.test(host) ? `${scheme}://${host}` : null;
}
