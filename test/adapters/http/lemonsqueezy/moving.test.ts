import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { runsLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from '../account/account-service.ts';
import { addOwnProduct } from '../account/own-product.ts';

/** The licenses of the store that moves. */
const count = runsLong ? 10_000 : 300;
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

/** Their server before the move: it knows keys and instances. */
function answerOfOldServer(body: URLSearchParams): boolean {
  const license = moving.find(({ key }) => key === body.get('license_key'));
  const id = body.get('instance_id');
  return license !== undefined && (id === null || license.instances.includes(id));
}

describe('a store that moves from Lemon Squeezy', () => {
  let service: AccountService;
  let ada: Account;
  before(async () => {
    service = await startAccountService();
    ada = await service.account('pro');
    await addOwnProduct(service, 'jar', ada);
  });
  after(() => service.close());

  it('refuses no client at any time, and has the same places afterwards', async () => {
    // What stands between the clients and the server: it changes over while they ask.
    let isMoved = false;
    let askedBefore = 0;
    const askedAfter = new Set<string | null>();
    const refused: string[] = [];
    /** Returns whether the new server was asked. */
    const ask = async (body: URLSearchParams): Promise<boolean> => {
      const isNew = isMoved;
      const isValid = isNew
        ? (await service.send('/v1/licenses/validate', { method: 'POST', body })).body.valid
        : answerOfOldServer(body);
      if (isNew) askedAfter.add(body.get('license_key'));
      else askedBefore++;
      if (isValid !== true) refused.push(`${isNew ? 'new' : 'old'} server: ${body}`);
      if (!isNew) await new Promise((resolve) => setImmediate(resolve));
      return isNew;
    };
    const client = async (first: number) => {
      let turn = 0;
      for (let n = first; !isMoved || turn < Math.ceil(count / clients); n += clients) {
        if (n >= count) n = first;
        const { key, instances } = moving[n] ?? { key: '', instances: [] };
        const body = new URLSearchParams({ license_key: key });
        const id = instances[n % 2];
        if (id !== undefined) body.set('instance_id', id);
        if (await ask(body)) turn++;
      }
    };
    const asking = Array.from({ length: clients }, (_, first) => client(first));

    const lines = moving.map(
      ({ key, instances }) => `jar,${key},lemonsqueezy,3,${instances.map((id) => `instance:${id}`).join(' ')}`,
    );
    const imported = await ada.send('/api/licenses/import', {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv' },
      body: `product,alias,alias_kind,max_domains,domains\n${lines.join('\n')}\n`,
    });
    expect(imported.status, imported.text).to.equal(200);
    const root = await service.administrator();
    const letIn = await root.send('/api/products/jar/adapters/lemonsqueezy', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ enabled: true }),
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
