import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from '../../support/http-client.ts';
import { itLong, runsLong } from '../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account/account-service.ts';
import { addOwnProduct } from './account/own-product.ts';

/** The licenses of the store that moves. */
const count = runsLong ? 2_000 : 300;
const clients = 8;

/** Returns the n-th UUID of a kind. */
function uuid(kind: string, n: number): string {
  const hex = createHash('sha256').update(`${kind} ${n}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

interface Moving {
  readonly key: string;
  /** The ids of its instances. */
  readonly instances: readonly string[];
}

const moving = Array.from({ length: count }, (_, n): Moving => {
  return { key: uuid('key', n), instances: Array.from({ length: n % 3 }, (_, nth) => uuid(`instance ${nth}`, n)) };
});

/** A system from which stores move. */
interface System {
  readonly name: string;
  readonly kind: 'lemonsqueezy' | 'edd' | 'gumroad';
  readonly settings: object;
  /** What stands in the file for an instance of the other system. */
  placeOf(instance: string): string;
  /** What a client sends: for the key alone, or for an instance. */
  bodyOf(key: string, instance: string | undefined): URLSearchParams;
  readonly path: string;
  isValid(answer: Answer, instance: string | undefined): boolean;
}

const systems: readonly System[] = [
  {
    ...{ name: 'Lemon Squeezy', kind: 'lemonsqueezy', settings: { enabled: true } },
    ...{ placeOf: (id) => `instance:${id}`, path: '/v1/licenses/validate' },
    bodyOf: (key, id) => new URLSearchParams({ license_key: key, ...(id !== undefined && { instance_id: id }) }),
    isValid: ({ body }) => body.valid === true,
  },
  {
    ...{ name: 'EDD Software Licensing', kind: 'edd', settings: { enabled: true, item_id: 8 } },
    ...{ placeOf: (id) => `${id}.example`, path: '/edd' },
    bodyOf: (license, id) =>
      new URLSearchParams({
        ...{ edd_action: 'check_license', license, item_id: '8' },
        ...(id !== undefined && { url: `https://${id}.example/` }),
      }),
    // Without a site, a license is found and not active there.
    isValid: ({ body }, id) => body.success === true && (id === undefined || body.license === 'valid'),
  },
  {
    ...{ name: 'Gumroad', kind: 'gumroad', settings: { enabled: true, permalink: 'jar' } },
    // Its licenses have no places. The clients here change over to the license API later.
    ...{ placeOf: (id) => `${id}.example`, path: '/v2/licenses/verify' },
    bodyOf: (key) => new URLSearchParams({ license_key: key, product_permalink: 'jar' }),
    isValid: ({ body }) => body.success === true,
  },
];

/** The server before the move: it knows keys and instances. */
function answerOfOldServer(key: string, instance: string | undefined): boolean {
  const license = moving.find((one) => one.key === key);
  return license !== undefined && (instance === undefined || license.instances.includes(instance));
}

for (const { name, kind, settings, placeOf, bodyOf, path, isValid } of systems)
  describe(`a store that moves from ${name}`, () => {
    let service: AccountService;
    let ada: Account;
    before(async () => {
      service = await startAccountService();
      ada = await service.account('pro');
      await addOwnProduct(service, 'jar', ada);
    });
    after(() => service.close());

    itLong('refuses no client at any time, and has the same places afterwards', async () => {
      // What stands between the clients and the server: it changes over while they ask.
      let isMoved = false;
      let askedBefore = 0;
      const askedAfter = new Set<string>();
      const refused: string[] = [];
      /** Returns whether the new server was asked. */
      const ask = async (key: string, instance: string | undefined): Promise<boolean> => {
        const isNew = isMoved;
        const isGood = isNew
          ? isValid(await service.send(path, { method: 'POST', body: bodyOf(key, instance) }), instance)
          : answerOfOldServer(key, instance);
        if (isNew) askedAfter.add(key);
        else askedBefore++;
        if (!isGood) refused.push(`${isNew ? 'new' : 'old'} server: ${key} ${instance}`);
        if (!isNew) await new Promise((resolve) => setImmediate(resolve));
        return isNew;
      };
      const client = async (first: number) => {
        let turn = 0;
        for (let n = first; !isMoved || turn < Math.ceil(count / clients); n += clients) {
          if (n >= count) n = first;
          const { key, instances } = moving[n] ?? { key: '', instances: [] };
          if (await ask(key, instances[n % 2])) turn++;
        }
      };
      const asking = Array.from({ length: clients }, (_, first) => client(first));

      const lines = moving.map(({ key, instances }) => `jar,${key},${kind},3,${instances.map(placeOf).join(' ')}`);
      const imported = await ada.send('/api/licenses/import', {
        method: 'POST',
        headers: { 'Content-Type': 'text/csv' },
        body: `product,alias,alias_kind,max_domains,domains\n${lines.join('\n')}\n`,
      });
      expect(imported.status, imported.text).to.equal(200);
      const root = await service.administrator();
      const letIn = await root.send(`/api/products/jar/adapters/${kind}`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(settings),
      });
      expect(letIn.status, letIn.text).to.equal(200);
      isMoved = true;
      await Promise.all(asking);
      expect(refused).to.deep.equal([]);
      expect(askedBefore).to.be.greaterThan(0);
      expect(askedAfter.size).to.equal(count);

      const rows = await service.rows('licenses');
      expect(rows).to.have.lengthOf(count);
      const places = moving.reduce((sum, { instances }) => sum + instances.length, 0);
      expect(rows.reduce((sum, row) => sum + Number(row.domains_used), 0)).to.equal(places);
    });
  });
