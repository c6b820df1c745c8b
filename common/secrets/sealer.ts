import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** Keeps text that must be used again (signing secrets, credentials) unreadable in the database. */
export interface Sealer {
  /**
   * Gives the sealed form, a printable string, different each time. `context` names what the text belongs to, such as
   * `tool:<id>:<header>`: it is not stored, and the same one is needed to open. Moved to another record, a sealed text
   * does not open.
   */
  seal(plain: string, context: string): string;
  /** Throws SealError for what was sealed with another key or for another context, or was changed. */
  open(sealed: string, context: string): string;
  /** Gives a signature of a text, printable, the same each time. `context` names what it is a signature for. */
  sign(text: string, context: string): string;
  /** Whether a signature is one of ours, of this text and for this context. */
  isSigned(text: string, context: string, signature: string): boolean;
}

/** A sealed text that does not open. */
export class SealError extends Error {
  override readonly name = "SealError";
}

/** Shortest key that is taken, in characters: 128 random bits in hex. */
const MIN_KEY_LENGTH = 32;

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce and the context as associated data. The first key seals, every key
 * opens: to change keys, put the new one in front. Throws RangeError when a key is too short or there is none.
 */
export function createSealer(keys: readonly string[]): Sealer {
  if (keys.length === 0 || keys.some((key) => key.length < MIN_KEY_LENGTH)) {
    throw new RangeError(
      `PARLEY_SECRET_KEY: each key needs at least ${MIN_KEY_LENGTH} characters; make one with: openssl rand -hex 32`,
    );
  }
  const derived = keys.map(deriveKey);
  const first = derived[0];
  const signing = keys.map((key) => Buffer.from(hkdfSync("sha256", key, "", "parley signatures v1", 32)));
  return {
    seal(plain, context) {
      if (first === undefined) throw new SealError("there is no key");
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", first.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(associatedData(first.id, context));
      const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${first.id}.${sealed.toString("base64url")}`;
    },
    open(sealed, context) {
      const [version, id, text = "", ...more] = sealed.split(".");
      const found = derived.find((candidate) => candidate.id === id);
      if (version !== VERSION || more.length > 0) throw new SealError("this is not a sealed text");
      if (found === undefined) throw new SealError("sealed with a key that is not among those of PARLEY_SECRET_KEY");
      const bytes = Buffer.from(text, "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealError("a sealed text was cut");
      const decipher = createDecipheriv("aes-256-gcm", found.key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associatedData(found.id, context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
          "utf8",
        );
      } catch (cause) {
        throw new SealError("a sealed text was changed, or belongs elsewhere", { cause });
      }
    },
    sign(text, context) {
      if (signing[0] === undefined) throw new SealError("there is no key");
      return signatureOf(signing[0], text, context);
    },
    isSigned(text, context, signature) {
      const shown = Buffer.from(signature);
      return signing.some((key) => {
        const own = Buffer.from(signatureOf(key, text, context));
        return shown.length === own.length && timingSafeEqual(shown, own);
      });
    },
  };
}

interface DerivedKey {
  key: Buffer;
  /** Tells keys apart without telling anything about them. */
  id: string;
}

/** RFC 5869: what the operator gives is random already; this only gives it the right size and this one purpose. */
function deriveKey(text: string): DerivedKey {
  const key = Buffer.from(hkdfSync("sha256", text, "", "parley secrets at rest v1", 32));
  return { key, id: createHash("sha256").update("parley key id").update(key).digest("hex").slice(0, 12) };
}

/** HMAC-SHA256 (RFC 2104). The context's length comes first: no text can pass for the end of another context. */
function signatureOf(key: Buffer, text: string, context: string): string {
  return createHmac("sha256", key).update(`${context.length}.${context}.${text}`).digest("base64url");
}

function associatedData(keyId: string, context: string): Buffer {
  return Buffer.from(`${VERSION}.${keyId}.${context}`);
}
