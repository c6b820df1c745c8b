/**
 * What is wrong with the head of a request, or null. The engine's parser lets these pass, and another parser in front
 * of it could read them in another way: two requests where we see one (RFC 9112 sections 3.2, 6.1 and 6.3). A repeated
 * field comes as a list, joined by commas.
 */
export function checkMessage(header: (name: string) => string | undefined): string | null {
  const host = header("host");
  if (host === undefined || host.includes(",")) return "it needs one Host header";
  const encoding = header("transfer-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked") return "Transfer-Encoding can only be chunked";
  const length = header("content-length");
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return "Content-Length must be one number";
  return null;
}
