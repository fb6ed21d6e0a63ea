import { iso } from '../iso.ts';
import type { Instant } from '../ports/clock.ts';

interface SignInFacts {
  /** The public address of this service, and its host with the port. */
  readonly baseUrl: string;
  readonly host: string;
  /** In the spelling of EIP-55. */
  readonly address: string;
  readonly statement: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly at: Instant;
  /** `undefined`: it can be signed at any time. */
  readonly endsAt: Instant | undefined;
}

/**
 * Returns the text that a wallet signs, as EIP-4361 describes it. It names this service, so a signature for it is of no use on
 * another server, and wallets warn if another site shows it.
 */
export function signInText({ baseUrl, host, address, statement, chainId, nonce, at, endsAt }: SignInFacts): string {
  return [
    `${host} wants you to sign in with your Ethereum account:`,
    address,
    '',
    statement,
    '',
    `URI: ${baseUrl}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${iso(at)}`,
    ...(endsAt === undefined ? [] : [`Expiration Time: ${iso(endsAt)}`]),
  ].join('\n');
}
