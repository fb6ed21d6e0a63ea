import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** Tells the address that a request's calls are counted against. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * The client's IPv4 address, or the /64 of its IPv6 address, as its owner has all of that. `X-Forwarded-For` is believed
 * as far as it was written by proxies in these address ranges (`10.0.0.0/8`, `loopback` …). Throws on a bad range.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = proxyaddr.compile([...trustedProxies]);
  return (request) => {
    const direct = request.socket.remoteAddress ?? '';
    const claimed = trustedProxies.length === 0 ? direct : proxyaddr(request, isTrusted);
    return network(claimed) ?? network(direct) ?? 'unknown';
  };
}

function network(address: string): string | undefined {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`;
}
