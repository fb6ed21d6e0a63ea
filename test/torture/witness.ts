import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecretBox } from '../../adapters/node/secret-box.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { UserId } from '../../core/id.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { healthy } from '../../core/webhooks/endpoint.ts';
import { mintWebhookSecret } from '../../core/webhooks/secret.ts';
import { webhookEventTypes } from '../../core/webhooks/webhook-event.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { toldBy } from '../support/told-by.ts';
import { noted } from '../support/webhooks.ts';

const key = 'the key of the torture, and of no other thing';

/** Lets the servers send webhooks to this machine. */
export const witnessSettings = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  SECRET_KEY: key,
} as const;

/** The result of the comparison. */
export interface Testimony {
  /** Events that were compared. */
  readonly events: number;
  /** Events that have arrived, and requests that have arrived more than once. */
  readonly arrived: number;
  readonly repeated: number;
  /** Changes without an event, events without a change, and differences between what was stored and what arrived. */
  readonly faults: readonly string[];
}

/** A receiver that gets all events of the licenses of one seller. */
export interface Witness extends AsyncDisposable {
  readonly ownerId: UserId;
  testimony(): Promise<Testimony>;
}

export async function openWitness(parts: Parts): Promise<Witness> {
  const seller = { name: 'Seller', email: 'seller@example.com', tier: 'enterprise' } as const;
  const { id: ownerId } = good(await (await parts.get(t.accounts)).add(seller, operator));
  /** The bodies of each event, by 'webhook-id'. */
  const received = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.once('end', () => {
      const id = String(request.headers['webhook-id']);
      received.set(id, [...(received.get(id) ?? []), body]);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const now = Date.now();
  const secret = createSecretBox(key).seal(mintWebhookSecret(systemSecrets));
  const common = { ownerId, isLive: true, productId: null, description: '', off: null, oldSecret: null };
  const times = { createdAt: now, updatedAt: now };
  const endpoint = { ...common, url, events: webhookEventTypes, secret, health: healthy, ...times };
  good(await (await parts.get(t.webhookStore)).add(endpoint, noted(now)));
  return {
    ownerId,
    async testimony() {
      const [changes, deliveries] = await readAll(parts);
      const known = new Set(deliveries.map(({ name }) => name));
      return {
        events: deliveries.length,
        arrived: received.size,
        repeated: [...received.values()].filter(({ length }) => length > 1).length,
        faults: [
          ...differences(changes, deliveries),
          ...deliveries.flatMap(({ name, state, body }) => {
            const bodies = received.get(name) ?? [];
            if (bodies.some((one) => one !== body)) return [`${name} arrived with other bytes`];
            return state === 'delivered' && bodies.length === 0
              ? [`${name} is stored as delivered, but never came`]
              : [];
          }),
          ...[...received.keys()]
            .filter((name) => !known.has(name))
            .map((name) => `${name} arrived, but is not stored`),
        ],
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A change in the audit trail. */
export interface ToldChange {
  readonly type: string;
  readonly subject: string;
  /** JSON. */
  readonly data: string;
}

/** An event with its delivery. */
export interface StoredDelivery {
  readonly name: string;
  readonly state: string;
  readonly body: string;
}

interface Row {
  readonly kind: 'change' | 'delivery';
  readonly one: string;
  readonly two: string;
  readonly three: string;
}

/** Reads both with one statement, so that no change comes in between. */
async function readAll(parts: Parts): Promise<[ToldChange[], StoredDelivery[]]> {
  const database = await parts.get(t.database);
  try {
    const rows: Row[] = await database.read((knex) =>
      knex('audit_log')
        .select(knex.raw("'change' AS kind"), 'type as one', 'subject as two', 'data as three')
        .unionAll(
          knex('webhook_deliveries as d')
            .join('webhook_events as e', 'e.id', 'd.event_id')
            .select(knex.raw("'delivery' AS kind"), 'e.name as one', 'd.state as two', 'e.body as three'),
        ),
    );
    return [
      rows.flatMap(({ kind, one, two, three }) =>
        kind === 'change' ? [{ type: one, subject: two, data: three }] : [],
      ),
      rows.flatMap(({ kind, one, two, three }) =>
        kind === 'delivery' ? [{ name: one, state: two, body: three }] : [],
      ),
    ];
  } catch (error) {
    // Its connection may have been cut.
    if (error instanceof Unavailable) return await readAll(parts);
    throw error;
  }
}

/** Returns the changes that have no event, and the events of licenses that have no change. */
export function differences(changes: readonly ToldChange[], deliveries: readonly StoredDelivery[]): string[] {
  const left = new Map<string, number>();
  const count = (what: string, by: number) => left.set(what, (left.get(what) ?? 0) + by);
  for (const { type, subject, data } of changes) {
    if (!type.startsWith('license.')) continue;
    for (const more of toldBy[type]?.({ data: JSON.parse(data) }) ?? []) count(`${type} ${subject} ${more}`, 1);
  }
  for (const { body } of deliveries) {
    const { event, data } = JSON.parse(body);
    // Verifications are no changes.
    if (event === 'license.verified') continue;
    count(`${event} ${data.license_key} ${data.domain ?? (data.from ? `${data.from} ${data.to}` : '')}`, -1);
  }
  return [...left].flatMap(([what, more]) =>
    more === 0 ? [] : [`${what}: ${more > 0 ? `${more} without an event` : `${-more} events without a change`}`],
  );
}
