import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { type Attempted, afterAttempt } from '../../core/webhooks/delivery.ts';
import { afterAttempts } from '../../core/webhooks/health.ts';

const request = { url: 'https://hooks.example.com/in', headers: { 'content-type': 'application/json' } };

/** An attempt that arrived. */
export const arrived: Attempted = {
  request,
  answer: { status: 204, headers: { server: 'test' }, body: '' },
  fault: null,
  detail: '',
  duration: 42,
  retryAfter: null,
};

/** An attempt that the receiver answered with an error. */
export const refusedByReceiver: Attempted = {
  ...arrived,
  answer: { status: 500, headers: { 'content-type': 'text/plain' }, body: 'Out of <b>paper</b>' },
  fault: 'status',
  detail: 'The receiver answered with status 500.',
};

/** Ends one attempt of each delivery that is due, as the dispatcher does. Returns the number of attempts. */
export async function attemptAll(parts: Parts, attempted: Attempted): Promise<number> {
  const [queue, clock] = [await parts.get(t.webhookQueue), await parts.get(t.clock)];
  const now = clock.now();
  let made = 0;
  for (const turn of await queue.claim({ now, until: now + 60_000, most: 100 })) {
    const due = await queue.due(turn, now, 1_000);
    const settled = due.map((delivery) => ({
      delivery,
      attempted,
      at: now,
      next: afterAttempt(delivery.attempt, attempted, now),
    }));
    const signs = settled.map(({ next: { state } }) => ({
      at: now,
      isSuccess: attempted.fault === null,
      isFinal: state === 'failed',
    }));
    const { health, news } = afterAttempts(turn.endpoint.health, signs);
    await queue.settle(turn, { settled, health, isOff: news.includes('off'), news: {} });
    made += settled.length;
  }
  return made;
}
