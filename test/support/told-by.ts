import type { Event } from '../../core/events/event.ts';

/**
 * The events that each change sends to webhooks, as the spec and the issue say: one text for each
 * event, with its domains. Changes that are not listed send no event.
 */
export const toldBy: Readonly<Record<string, (event: Pick<Event, 'data'>) => string[]>> = {
  'license.issued': () => [''],
  'license.activated': ({ data }) => [...`${data.instead_of ?? ''}`.split(' ').filter(Boolean), `${data.domain}`],
  'license.deactivated': ({ data }) => [`${data.domain}`, ...`${data.also ?? ''}`.split(' ').filter(Boolean)],
  'license.domain_moved': ({ data }) => [`${data.domain} ${data.to}`],
  'license.suspended': () => [''],
  'license.reinstated': () => [''],
  'license.revoked': () => [''],
  'license.renewed': () => [''],
  'license.rotated': () => [''],
  'license.leak_suspected': () => [''],
  'order.paid': () => [''],
  'order.refunded': () => [''],
  'order.disputed': () => [''],
  'product.approved': () => [''],
  'product.rejected': () => [''],
};
