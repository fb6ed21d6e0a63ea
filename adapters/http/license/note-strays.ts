import type { StrayCounter } from '../../../core/licensing/stray-counter.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { ClientAddress } from '../client-address.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Returns a function that looks at each exchange, and notes a verification that was refused because the license is not activated
 * on the host. Others cost it one comparison.
 */
export function noteStrays(
  counter: Pick<StrayCounter, 'note'>,
  clientAddress: ClientAddress,
  clock: Clock,
): (exchange: Pick<Exchange, 'state' | 'req'>) => void {
  return ({ state: { refused, endpoint, licenseKey }, req }) => {
    if (refused !== 'invalid_domain' || licenseKey === undefined) return;
    if (endpoint !== 'verify' && endpoint !== 'lease') return;
    const { url = '' } = req;
    const host = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('domain');
    if (host !== null && host.length <= longestHost) counter.note(licenseKey, host, clientAddress(req), clock.now());
  };
}

/** Of the texts that name a host, such as addresses of pages. */
const longestHost = 500;
