import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** An address or a range that cannot be read. The message does not contain it. */
export class WrongNetwork extends Error {
  override readonly name = 'WrongNetwork';
}

/** Whether webhooks may be sent to an address, which is written as Node writes addresses. */
export type IsAllowed = (address: string) => boolean;

/**
 * Reads addresses and ranges. Throws `WrongNetwork` if one of them is not written in full, or is not the first address
 * of its range.
 */
export function parseNetworks(texts: readonly string[]): readonly Range[] {
  return texts.map((text) => {
    const isRange = text.includes('/');
    if (!(isRange ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text))) throw new WrongNetwork(notRead);
    const [address, length] = isRange ? ipaddr.parseCIDR(text) : wholeAddress(ipaddr.parse(text));
    if (address.kind() === 'ipv4' && !ipaddr.IPv4.isValidFourPartDecimal(text.replace(/\/.*/, ''))) {
      throw new WrongNetwork(notRead);
    }
    if (networkOf(address, length) !== address.toNormalizedString()) {
      throw new WrongNetwork('has a range that does not begin with its first address');
    }
    return [address, length];
  });
}

const notRead = 'has an entry that is neither an address nor a range';

function wholeAddress(address: Address): Range {
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function networkOf(address: Address, length: number): string {
  const range = `${address.toNormalizedString()}/${length}`;
  const first =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(range) : ipaddr.IPv6.networkAddressFromCIDR(range);
  return first.toNormalizedString();
}

/** Permits public unicast addresses, and those of the networks that the operator permits. */
export function createIsAllowed(networks: readonly string[]): IsAllowed {
  const own = parseNetworks(networks);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    // An IPv4 address inside an IPv6 address (::ffff:…) is judged as the IPv4 address to which the system connects.
    const address = ipaddr.process(text);
    return own.some((range) => isIn(address, range)) || isPublic(address);
  };
}

function isIn(address: Address, range: Range): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

/** The only range of IPv6 of which public addresses are given out (RFC 4291). */
const globalUnicast = ipaddr.parseCIDR('2000::/3');
function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalUnicast));
}
