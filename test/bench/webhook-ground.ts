import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createSecretBox } from '../../adapters/node/secret-box.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { addDeliveries } from '../../adapters/sql/stores/webhook-outbox.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { type Endpoint, healthy, type Subscription } from '../../core/webhooks/endpoint.ts';
import { sampleOf } from '../../core/webhooks/sample.ts';
import { mintWebhookSecret } from '../../core/webhooks/secret.ts';
import { good } from '../support/good.ts';
import { noted } from '../support/webhooks.ts';
import type { Seller } from './seed.ts';

const key = 'the key of these measurements, and of no other thing';

/** Lets a server send webhooks to this machine. */
export const webhookSettings = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  SECRET_KEY: key,
} as const;

/** A receiver in its own process. */
export interface Sink extends AsyncDisposable {
  readonly port: number;
  /** The number of requests that were answered. */
  answered(): Promise<number>;
}

const program = fileURLToPath(new URL('webhook-sink.ts', import.meta.url));

export async function startSink(): Promise<Sink> {
  const child = fork(program, { execArgv: ['--import=tsx'] });
  const port = await nextNumber(child);
  return {
    port,
    async answered() {
      child.send('count');
      return await nextNumber(child);
    },
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

async function nextNumber(child: ChildProcess): Promise<number> {
  const [number] = await once(child, 'message');
  return Number(number);
}

/** Adds an endpoint of the seller in live mode. */
export async function addEndpointTo(
  parts: Parts,
  { id }: Seller,
  url: string,
  events: Subscription = '*',
): Promise<Endpoint> {
  const now = Date.now();
  const secret = createSecretBox(key).seal(mintWebhookSecret(systemSecrets));
  const common = { ownerId: id, isLive: true, productId: null, description: '', off: null, oldSecret: null };
  const times = { createdAt: now, updatedAt: now };
  const endpoint = { ...common, url, events, secret, health: healthy, ...times };
  return good(await (await parts.get(t.webhookStore)).add(endpoint, noted(now)));
}

const atOnce = 5_000;

/** Adds this many events, each of which waits for each of the endpoints. */
export async function addWaiting(parts: Parts, endpoints: readonly Endpoint[], events: number): Promise<void> {
  const [first] = endpoints;
  if (first === undefined) return;
  const now = Date.now();
  const { ownerId, isLive } = first;
  const happening = sampleOf({ type: 'license.activated', ownerId, isLive, product: undefined, at: now });
  const subscribers = endpoints.map((endpoint) => ({ ...endpoint, onSince: now, isListener: false }));
  const database = await parts.get(t.database);
  for (let added = 0; added < events; added += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, events - added) }, () => ({ happening, subscribers }));
    await database.write((trx) => addDeliveries(trx, some, now));
  }
}

/** The number of deliveries that are stored as delivered. */
export async function countDelivered(parts: Parts): Promise<number> {
  const database = await parts.get(t.database);
  const [row] = await database.read((knex) =>
    knex('webhook_deliveries').where({ state: 'delivered' }).count({ count: '*' }),
  );
  return Number(row?.count ?? 0);
}
