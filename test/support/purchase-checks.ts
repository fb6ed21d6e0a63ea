import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemotePurchaseCheck } from '../../adapters/purchases/remote.ts';
import type { Database } from '../../adapters/sql/database.ts';
import { openSqliteInMemory } from '../../adapters/sql/sqlite/in-memory.ts';
import { createSqlOrderStore } from '../../adapters/sql/stores/order-store.ts';
import { createSqlProductStore } from '../../adapters/sql/stores/product-store.ts';
import { createSqlPurchaseLedger } from '../../adapters/sql/stores/purchase-ledger.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import type { PurchaseCheck } from '../../core/ports/purchase-check.ts';
import { anyOf, boughtHere } from '../../core/purchases/claim.ts';
import type { Template } from '../../core/templates/template.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { addForSale, addOrder } from './orders.ts';

export type Buyer = Pick<User, 'id' | 'email'>;
export type Bought = Pick<Template, 'id' | 'slug'>;

/** A purchase check, and functions that change the purchases it uses. */
export interface OpenCheck {
  readonly check: PurchaseCheck;
  buy(user: Buyer, template: Bought): Promise<void>;
  /** Starts or ends an outage of the source of purchases. */
  setOut(out: boolean): void;
  close(): Promise<void>;
}

/** A purchase check on which the contract suite runs. */
export interface CheckKind {
  readonly name: string;
  /** Opens a check without purchases. */
  open(): Promise<OpenCheck>;
}

/** Opens a database, which can have outages, with the users and templates of purchases. */
async function openPlace() {
  const opened = await openSqliteInMemory();
  let isOut = false;
  const database: Database = {
    ...opened,
    async read(work) {
      if (isOut) throw new Unavailable('The database is unavailable.');
      return await opened.read(work);
    },
  };
  return {
    database,
    setOut(out: boolean) {
      isOut = out;
    },
    addBoth: (user: Buyer, { id, slug }: Bought) =>
      database.write(async (trx) => {
        const person = { ...user, name: 'Somebody', tier: 'free', created_at: 1 };
        await trx('users').insert(person).onConflict('id').ignore();
        const kind = { category: 'defi-dex', tier: 'pro', tags: '[]', parameters: '[]' };
        const template = { ...kind, id, slug, title: slug, description: slug, zip: `${slug}.zip`, created_at: 1 };
        await trx('templates').insert(template).onConflict('id').ignore();
      }),
  };
}

const local: CheckKind = {
  name: 'local',
  async open() {
    const { database, setOut, addBoth } = await openPlace();
    const ledger = createSqlPurchaseLedger(database);
    return {
      check: ledger,
      async buy(user, template) {
        await addBoth(user, template);
        const purchase = { userId: user.id, templateId: template.id, at: 1 };
        await ledger.add(purchase, event('purchase.added', user.email, { actor: 'test' }, purchase.at, {}));
      },
      setOut,
      close: database.close,
    };
  },
};

const ordered: CheckKind = {
  name: 'orders',
  async open() {
    const { database, setOut, addBoth } = await openPlace();
    const orders = createSqlOrderStore(database);
    const product = await addForSale({ products: createSqlProductStore(database) });
    return {
      check: boughtHere(orders, async () => 0),
      async buy(user, template) {
        await addBoth(user, template);
        const buyer = { userId: user.id, email: user.email, name: null };
        await addOrder({ orders }, { ...product, templateId: template.id }, { buyer, state: 'paid' });
      },
      setOut,
      close: database.close,
    };
  },
};

/** Purchases are in the one or in the other. */
const either: CheckKind = {
  name: 'either of two',
  async open() {
    const [one, other] = [await local.open(), await ordered.open()];
    return {
      check: anyOf(one.check, other.check),
      buy: (user, template) => ((user.id + template.id) % 2 === 0 ? one : other).buy(user, template),
      setOut(out) {
        one.setOut(out);
        other.setOut(out);
      },
      async close() {
        await one.close();
        await other.close();
      },
    };
  },
};

const remote: CheckKind = {
  name: 'remote',
  async open() {
    const bought = new Set<string>();
    let isOut = false;
    const service = await startService((request, response) => {
      const query = new URL(request.url ?? '', 'http://service').searchParams;
      const purchase = ['user_id', 'email', 'template_id', 'template'].map((name) => query.get(name));
      if (isOut) response.writeHead(503).end();
      else answer(response, { purchased: bought.has(JSON.stringify(purchase)) });
    });
    return {
      check: createRemotePurchaseCheck({ url: service.url, timeout: patience }),
      async buy(user, template) {
        bought.add(JSON.stringify([String(user.id), user.email, String(template.id), template.slug]));
      },
      setOut(out) {
        isOut = out;
      },
      close: () => service[Symbol.asyncDispose](),
    };
  },
};

export const checkKinds: readonly CheckKind[] = [local, ordered, either, remote];

/** A timeout in milliseconds that no answer reaches, not even the first one on a busy machine. */
export const patience = 15_000;

/** A purchase service as an operator runs it, on a free port. */
export interface PurchaseService {
  readonly url: string;
  /** All received requests, in order. */
  readonly requests: readonly IncomingMessage[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startService(respond: RequestListener): Promise<PurchaseService> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/purchases`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
