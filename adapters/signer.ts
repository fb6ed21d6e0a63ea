/** Signs texts with a secret of this service's own, the same in all its processes and after every restart. */
export interface Signer {
  /** HMAC-SHA256, in base64url. */
  sign(text: string): string;
  /** Whether the signature is this text's, in a time that tells nothing of where it differs. */
  verifies(text: string, signature: string): boolean;
}
