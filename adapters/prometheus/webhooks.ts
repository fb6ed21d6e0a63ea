import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import { watched } from './watched.ts';

/** Deliveries that are due. `age`: milliseconds since the oldest was due. */
interface WebhookBacklog {
  readonly count: number;
  readonly age: number;
}

/** The results of attempts: `waiting` is tried again later, `failed` is not. */
const outcomes = ['delivered', 'waiting', 'failed'] as const;

/** The metrics of the deliveries of webhooks. */
export interface WebhookInstruments {
  webhookSent(outcome: (typeof outcomes)[number]): void;
  /** `backlog` is called every 15 seconds at most. */
  watchWebhooks(backlog: () => Promise<WebhookBacklog>): void;
}

export function createWebhookInstruments(registry: Registry): WebhookInstruments {
  const registers = [registry];
  const attempts = new Counter({
    name: 'latchkey_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome: delivered, waiting (failed, tried again later) or failed (for good).',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of outcomes) attempts.inc({ outcome }, 0);
  const backlog = watched<WebhookBacklog>();
  // All workers of a server read the same tables.
  const gauge = { aggregator: 'max', labelNames: [] as const, registers } as const;
  new Gauge({
    ...gauge,
    name: 'latchkey_webhook_queue_depth',
    help: 'Deliveries of webhooks that are due and wait to be sent.',
    async collect() {
      const latest = await backlog.latest();
      if (latest === undefined) this.remove();
      else this.set(latest.count);
    },
  });
  new Gauge({
    ...gauge,
    name: 'latchkey_webhook_queue_oldest_seconds',
    help: 'Time since the oldest waiting delivery of a webhook was due. It grows if no process delivers, or if they cannot keep up.',
    async collect() {
      const latest = await backlog.latest();
      if (latest === undefined) this.remove();
      else this.set(latest.age / 1000);
    },
  });
  return {
    webhookSent: (outcome) => attempts.inc({ outcome }),
    watchWebhooks: backlog.watch,
  };
}
