import type { Clock } from '../../../core/ports/clock.ts';
import { lease } from '../../../core/work/work.ts';
import { eventually } from '../eventually.ts';
import type { Delivery } from './events.ts';
import type { StripeDouble } from './stripe-double.ts';

interface HearingService {
  readonly url: string;
  readonly clock: Clock;
  rows(table: string): Promise<readonly Record<string, unknown>[]>;
}

/** Delivers all waiting events to the hook, and waits until the service has done the work that follows. */
export async function hearStripe(service: HearingService, stripe: StripeDouble, how?: Delivery) {
  const delivered = await stripe.deliver(`${service.url}/hooks/stripe`, how);
  await eventually('all work that was due is done', async () => {
    const now = service.clock.now();
    const dues = (await service.rows('work')).map(({ due }) => Number(due));
    return dues.every((due) => due > now && due !== now + lease);
  });
  return delivered;
}
