import { createHmac } from 'node:crypto';
import type { Clock } from '../../../core/ports/clock.ts';
import type { DoubleEvent } from './shapes.ts';

/** How events are delivered. Each is sent as soon as possible, once and in order, unless this says otherwise. */
export interface Delivery {
  /** How often each event is sent. */
  readonly times?: number;
  readonly order?: 'as made' | 'reversed';
}

/** The answer to an event. */
export interface Delivered {
  readonly type: string;
  readonly status: number;
}

/** Signs a body as Stripe does: https://docs.stripe.com/webhooks/signature. `at`: seconds since 1970. */
export function stripeSignature(body: string, secret: string, at: number): string {
  const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${v1},v0=${'0'.repeat(64)}`;
}

/** Events that wait for their delivery. */
export function createOutbox(secret: string, clock: Clock) {
  let waiting: DoubleEvent[] = [];
  const made: DoubleEvent[] = [];

  return {
    made,
    add(event: DoubleEvent) {
      made.push(event);
      waiting.push(event);
    },
    forget() {
      waiting = [];
    },
    /** Sends what waits, and returns the answers. What gets no 2xx waits for the next delivery. */
    async deliver(address: string, { times = 1, order = 'as made' }: Delivery = {}): Promise<Delivered[]> {
      const sent = order === 'reversed' ? waiting.toReversed() : waiting;
      waiting = [];
      const delivered: Delivered[] = [];
      for (const event of sent) {
        let isHeard = false;
        for (let time = 0; time < times; time++) {
          const body = JSON.stringify(event, null, 2);
          const signature = stripeSignature(body, secret, Math.floor(clock.now() / 1_000));
          const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature };
          const { status, ok } = await fetch(address, { method: 'POST', headers, body });
          delivered.push({ type: event.type, status });
          isHeard ||= ok;
        }
        if (!isHeard) waiting.push(event);
      }
      return delivered;
    },
  };
}
