/** Encrypts what is stored and never shown. */
export interface SecretBox {
  seal(plain: string): string;
  /** Throws when the text was not sealed with a key that this installation has. */
  open(sealed: string): string;
}
