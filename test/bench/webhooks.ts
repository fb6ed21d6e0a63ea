import { setTimeout } from 'node:timers/promises';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { compare, type List } from './compare.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import type { Generator } from './generators.ts';
import { fire } from './load.ts';
import { type Running, withLatchkey } from './processes.ts';
import { verifying } from './scenarios.ts';
import { addLicenses, addSeller, type Binding, mintBindings, type Seller, settle, withParts } from './seed.ts';
import { ratio } from './statistics.ts';
import { addEndpointTo, addWaiting, countDelivered, type Sink, startSink, webhookSettings } from './webhook-ground.ts';

/** Webhooks on each database. */
export interface Webhooks {
  readonly sizes: WebhookSizes;
  readonly endpoints: number;
  readonly rates: Readonly<Partial<Record<DatabaseKind, number>>>;
  /** The time of calls of the API without waiting deliveries (`few`), and while many wait (`many`). */
  readonly calls: readonly List[];
  /** The rate of verifications of a product with one subscriber of `license.verified`, divided by the rate without one. */
  readonly beside: Readonly<Partial<Record<DatabaseKind, number>>>;
}

export interface WebhookSizes {
  /** Deliveries whose rate is measured. */
  readonly deliveries: number;
  /** Deliveries that wait for an endpoint that does not answer. */
  readonly waiting: number;
  /** Activations of the product with a subscriber of verifications. */
  readonly activations: number;
  /** Seconds of each load of verifications. The events of verifications are made once a minute. */
  readonly load: number;
  readonly rounds: number;
}

/** So many that their 5 requests in flight are not the limit. */
const endpoints = 20;
/** The licenses that are verified. Most are not verified every minute. */
const active = 2_000;

export async function measureWebhooks(
  folder: TemporaryFolder,
  databases: Databases,
  generator: Generator,
  sizes: WebhookSizes,
  chance: number,
  tell: (line: string) => void,
): Promise<Webhooks> {
  const rates: Partial<Record<DatabaseKind, number>> = {};
  const beside: Partial<Record<DatabaseKind, number>> = {};
  const calls: List[] = [];
  await using sink = await startSink();
  for (const kind of databases.kinds) {
    const start = { folder, sink, create: () => databases.create(kind) };
    tell(`webhooks: ${sizes.deliveries} deliveries on ${kind}`);
    rates[kind] = await rateOf(start, sizes.deliveries);
    tell(`webhooks: ${sizes.waiting} waiting deliveries on ${kind}`);
    calls.push(...(await compareCalls(start, kind, sizes.waiting, chance)));
    tell(`webhooks: verifications with a subscriber on ${kind}`);
    beside[kind] = await compareVerifications(start, generator, sizes, chance);
  }
  return { sizes, endpoints, rates, calls, beside };
}

interface Start {
  readonly folder: TemporaryFolder;
  readonly sink: Sink;
  create(): Promise<string>;
}

/** Deliveries per second, of those that a server finds when it starts, without the first and the last tenth. */
async function rateOf({ folder, sink, create }: Start, deliveries: number): Promise<number> {
  const url = await create();
  return await withParts(url, async (parts) => {
    const seller = await addSeller(parts);
    const all = [];
    for (let n = 0; n < endpoints; n++) all.push(await addEndpointTo(parts, seller, `${addressOf(sink)}/${n}`));
    await addWaiting(parts, all, deliveries / endpoints);
    await settle(parts);
    const before = await sink.answered();
    const reached = async (share: number) => {
      while ((await sink.answered()) - before < share * deliveries) await setTimeout(10);
      return performance.now();
    };
    return await withLatchkey(folder, { DATABASE_URL: url, ...webhookSettings }, async () => {
      const began = await reached(0.1);
      const ended = await reached(0.9);
      await reached(1);
      while ((await countDelivered(parts)) < deliveries) await setTimeout(50);
      return (0.8 * deliveries) / ((ended - began) / 1_000);
    });
  });
}

/** A seller with an endpoint that never answers. It gets all events of the seller's licenses. */
interface Stalled {
  readonly url: string;
  readonly seller: Seller;
  readonly bindings: readonly Binding[];
}

async function compareCalls(start: Start, kind: DatabaseKind, waiting: number, chance: number): Promise<List[]> {
  const { folder, sink, create } = start;
  const stall = async (events: number): Promise<Stalled> => {
    const url = await create();
    const bindings = mintBindings(active, chance);
    return await withParts(url, async (parts) => {
      const seller = await addSeller(parts);
      await addLicenses(parts, seller.id, bindings);
      await addWaiting(parts, [await addEndpointTo(parts, seller, `${addressOf(sink)}/hangs`)], events);
      await settle(parts);
      return { url, seller, bindings };
    });
  };
  const [none, many] = [await stall(0), await stall(waiting)];
  const settings = ({ url }: Stalled) => ({ DATABASE_URL: url, RATE_LIMIT_URL: 'off:', ...webhookSettings });
  return await withLatchkey(folder, settings(none), (fewer) =>
    withLatchkey(folder, settings(many), async (more) => {
      const both = (name: string, call: (server: Running, stalled: Stalled) => () => Promise<void>) =>
        compare(`${kind}: ${name}`, call(fewer, none), call(more, many));
      return [await both('licenses of a seller', listLicenses), await both('activate', activateOneByOne)];
    }),
  );
}

function listLicenses({ port }: Running, { seller }: Stalled): () => Promise<void> {
  return async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/licenses`, { headers: { 'X-API-Key': seller.apiKey } });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`The list returned ${response.status} ${text}`);
  };
}

function activateOneByOne({ port }: Running, { bindings }: Stalled): () => Promise<void> {
  let next = 0;
  return async () => {
    const { key, domain } = bindings[next++] ?? {};
    const response = await fetch(`http://127.0.0.1:${port}/activate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ license_key: key, domain: `more.${domain}` }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`activate returned ${response.status} ${text}`);
  };
}

async function compareVerifications(
  { folder, sink, create }: Start,
  generator: Generator,
  { activations, load, rounds }: WebhookSizes,
  chance: number,
): Promise<number> {
  const bindings = mintBindings(activations, chance);
  const fill = async (isWatched: boolean) => {
    const url = await create();
    return await withParts(url, async (parts) => {
      const seller = await addSeller(parts);
      await addLicenses(parts, seller.id, bindings);
      await settle(parts);
      if (isWatched) await addEndpointTo(parts, seller, `${addressOf(sink)}/verified`, ['license.verified']);
      return { DATABASE_URL: url, ...webhookSettings };
    });
  };
  const often = bindings.filter((_, index) => index % Math.ceil(activations / active) === 0);
  return await withLatchkey(folder, await fill(false), async ({ port: alone }) =>
    withLatchkey(folder, await fill(true), async ({ port: watched }) => {
      const scenario = verifying(often, chance);
      const rate = async (port: number, seconds = load) =>
        (await fire({ generator, folder, ports: [port], scenario, seconds })).rate;
      for (const port of [alone, watched]) await rate(port, 2);
      const rates = { alone: [] as number[], watched: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        rates.alone.push(await rate(alone));
        rates.watched.push(await rate(watched));
      }
      return ratio(rates.watched, rates.alone);
    }),
  );
}

function addressOf({ port }: Sink): string {
  return `http://127.0.0.1:${port}`;
}
