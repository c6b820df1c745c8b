import { limits } from "#protocol/limit-table";

/**
 * Largest request head, bytes. The engine reads this variable once, while it is loaded, so this module must be imported
 * before it; its own limit of 4 KiB refuses ordinary requests that carry a few cookies.
 */
process.env["UWS_HTTP_MAX_HEADERS_SIZE"] ??= String(limits.headBytes.most);
