/** Signs texts with the service's secret, which is the same in all processes and after every restart. */
export interface Signer {
  /** Returns the HMAC-SHA256 in base64url. */
  sign(text: string): string;
  /** Whether the signature belongs to the text, compared in constant time. */
  verifies(text: string, signature: string): boolean;
}
