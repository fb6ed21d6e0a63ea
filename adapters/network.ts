import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the IPv4 address, or the network of the IPv6 address with a prefix of this many bits, such as
 * `2001:db8::/48`. Takes networks too. Returns `undefined` for other texts.
 */
export function networkOf(address: string, bits: number): string | undefined {
  if (isIPv4(address)) return address;
  const [host = ''] = address.split('/');
  if (!ipaddr.isValid(host)) return undefined;
  const parsed = ipaddr.process(host);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`;
}

/** Returns the /24 of an IPv4 address, or the /48 of an IPv6 address or network. So much has one owner at times. Returns other texts as they are. */
export function widerNetworkOf(address: string): string {
  if (!isIPv4(address)) return networkOf(address, 48) ?? address;
  return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24`;
}
