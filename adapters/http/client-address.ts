import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';
import { networkOf } from '../network.ts';

/** Returns the address that rate limits count a request against. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Returns the client's IPv4 address, or the /64 network of its IPv6 address, because its owner has that whole network.
 * Of `X-Forwarded-For`, trusts only what proxies in these address ranges wrote (`10.0.0.0/8`, `loopback` …). Throws if a
 * range is invalid.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = proxyaddr.compile([...trustedProxies]);
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const claimed = trustedProxies.length === 0 ? direct : proxyaddr(request, isTrusted);
    return networkOf(claimed, 64) ?? networkOf(direct, 64) ?? 'unknown';
  };
}
