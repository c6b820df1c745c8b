import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/*
 * pk_ PPPPPPPPPPPP SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS CCCCCC      base62, 64 characters in all
 *     public id    secret (43 characters hold 256 bits)     CRC-32 of everything before it
 */
const PREFIX = "pk_";
const PUBLIC_ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const pattern = new RegExp(`^${PREFIX}[0-9A-Za-z]{${PUBLIC_ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A fresh API key. Only its SHA-256 is ever stored. */
export function generateApiKey(): string {
  const body = PREFIX + randomText(PUBLIC_ID_LENGTH) + randomText(SECRET_LENGTH);
  return body + checksum(body);
}

/**
 * True when the text is a whole, correctly copied key of our own making; the development key may be any text and need
 * not be.
 */
export function isWellFormedApiKey(key: string): boolean {
  return pattern.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

/**
 * True when the text looks like a key of our own making and cannot be one: mistyped, cut, or invented. Nobody needs to
 * be asked about it.
 */
export function isMistypedApiKey(key: string): boolean {
  return pattern.test(key) && !isWellFormedApiKey(key);
}

/** The part of a key that may be shown: enough to recognise it, nothing of the secret. */
export function apiKeyPrefix(key: string): string {
  return pattern.test(key)
    ? key.slice(0, PREFIX.length + PUBLIC_ID_LENGTH)
    : `${key.slice(0, Math.min(4, key.length >> 2))}…`;
}

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: dropping the rest keeps every character equally likely.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

function checksum(body: string): string {
  let value = crc32(body);
  let text = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    text = alphabet[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}
