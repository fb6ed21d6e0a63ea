import { isIP } from 'node:net';
import type { CheckWebhookUrl } from '../../core/ports/webhook-sender.ts';
import type { Fault } from '../../core/webhooks/delivery.ts';
import { blocked, hostOf } from '../guarded-connect.ts';
import { createIsAllowed, type IsAllowed } from '../public-addresses.ts';

/** The limits that the operator sets for the addresses of webhooks. */
export interface Permitted {
  /** Whether webhooks may be sent without TLS. */
  readonly allowHttp: boolean;
  /** Addresses and ranges besides the public ones. */
  readonly allowedNetworks: readonly string[];
  /** Why webhooks are sent to no address at all, if they are not. */
  readonly whyNone?: string | undefined;
}

export function createCheckWebhookUrl(permitted: Permitted): CheckWebhookUrl {
  const isAllowed = createIsAllowed(permitted.allowedNetworks);
  return (url) => {
    const read = readUrl(url, permitted, isAllowed);
    return read instanceof URL ? undefined : read.detail;
  };
}

/** Why nothing is sent to a URL. */
export interface UrlFault {
  readonly fault: Extract<Fault, 'url_not_allowed' | 'blocked_address'>;
  readonly detail: string;
}

/**
 * Reads a URL to which webhooks may be sent, and refuses all others (SSRF). `URL` writes every spelling of an IPv4 address (decimal, octal, short, with
 * other digits) as four decimal numbers, and only that is used from here on.
 */
export function readUrl(
  text: string,
  { allowHttp, whyNone }: Omit<Permitted, 'allowedNetworks'>,
  isAllowed: IsAllowed,
): URL | UrlFault {
  const wrong = (detail: string): UrlFault => ({ fault: 'url_not_allowed', detail });
  if (whyNone !== undefined) return wrong(whyNone);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return wrong('This is not a URL.');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    return wrong(`The URL must begin with https://${allowHttp ? ' or http://' : ''}.`);
  }
  if (url.username !== '' || url.password !== '') return wrong('The URL must not contain a user name or a password.');
  if (!isPortAllowed(url.port)) return wrong('The port must be 80, 443, or above 1023.');
  const host = hostOf(url);
  return isIP(host) === 0 || isAllowed(host) ? url : { fault: 'blocked_address', detail: blocked([host]) };
}

function isPortAllowed(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) > 1023;
}
