import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import { type Product, productStatuses } from '../../core/marketplace/product.ts';
import type { ProductFilter } from '../../core/ports/product-store.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { addUser, backends, openForAll, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, must, newProduct, outcome } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

for (const backend of backends) {
  describe(`product store: ${backend.name}: list`, () => {
    const stores = openForAll(backend);
    const newestFirst: Product[] = [];
    const ids: UserId[] = [];

    before(async () => {
      for (const name of ['Ada', 'Bob', 'Cleo']) ids.push((await addUser(stores, name)).id);
      const owners = [null, ...ids.slice(0, 2)];
      const kinds = owners.flatMap((ownerId) =>
        [true, false].flatMap((isLive) => productStatuses.map((status) => ({ ownerId, isLive, status }))),
      );
      for (const [n, kind] of [...kinds, ...kinds.slice(3, 12)].entries()) {
        const product = newProduct({ ...kind, createdAt: issuedAt + n });
        newestFirst.unshift(await stores.products.add(product, (slug) => event('product.added', slug, by, issuedAt)));
      }
    });

    const passing = ({ ownerId, isLive, status }: ProductFilter) =>
      newestFirst.filter(
        (product) =>
          (ownerId === undefined || ownerId === product.ownerId) &&
          (isLive === undefined || isLive === product.isLive) &&
          (status === undefined || status === product.status),
      );

    it('returns any page of any filter, newest first, with the correct total', async () => {
      const filter = fc.record(
        {
          ownerId: fc
            .option(fc.nat(2), { nil: undefined })
            .map((index) => (index === undefined ? undefined : ids[index])),
          isLive: fc.option(fc.boolean(), { nil: undefined }),
          status: fc.option(fc.constantFrom(...productStatuses), { nil: undefined }),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(filter, fc.nat(12), fc.integer({ min: 1, max: 12 }), async (wanted, offset, limit) => {
          const all = passing(wanted);
          expect(await stores.products.list(wanted, offset, limit)).to.deep.equal({
            items: all.slice(offset, offset + limit),
            total: all.length,
          });
        }),
        { numRuns: runs(60) },
      );
    });

    it('returns every product exactly once across consecutive pages', async () => {
      const pages = [];
      for (const offset of [0, 10, 20, 30]) pages.push(await stores.products.list({}, offset, 10));
      expect(pages.flatMap(({ items }) => items)).to.deep.equal(newestFirst);
    });

    it('returns an empty page with the correct total after the last page', async () => {
      expect(await stores.products.list({}, 33, 10)).to.deep.equal({ items: [], total: 33 });
      expect(await stores.products.list({}, 1_000_000, 1)).to.deep.equal({ items: [], total: 33 });
    });

    it('returns nothing for an owner without products', async () => {
      expect(await stores.products.list({ ownerId: must(ids[2]) }, 0, 10)).to.deep.equal({ items: [], total: 0 });
    });
  });

  describe(`product store: ${backend.name}: change`, () => {
    const stores = openForEach(backend);
    let jar: Product;

    beforeEach(async () => {
      jar = await stores.products.add(newProduct({ slug: 'tip-jar', status: 'pending' }), (slug) =>
        event('product.added', slug, by, issuedAt),
      );
    });

    const approved = event('product.approved', 'tip-jar', by, issuedAt + 5, { price: 4990 });

    it('lets exactly one of several concurrent calls make a change that is allowed once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          stores.products.change(jar.id, (product) =>
            product.status === 'pending'
              ? { after: { ...product, status: n % 2 === 0 ? 'published' : 'rejected' }, event: approved }
              : refuse('transition_not_allowed'),
          ),
        ),
      );
      expect(answers.map(outcome).sort()).to.deep.equal(['ok', ...Array(11).fill('transition_not_allowed')]);
      expect(await stores.products.findById(jar.id)).to.deep.equal(answers.find((answer) => !isRefused(answer)));
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(2);
    });
  });
}
