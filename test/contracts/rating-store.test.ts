import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { type ProductId, type RatingId, toRatingId } from '../../core/id.ts';
import type { Order } from '../../core/purchases/order.ts';
import { isShown, type Rating, type RatingState, ratingStates } from '../../core/ratings/rating.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, newRating } from '../support/orders.ts';
import { sharedBackends } from '../support/shared-backends.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`ratings: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let order: Order;
    let productId: ProductId;
    beforeEach(async () => {
      order = await addOrder(stores, await addForSale(stores));
      ({ productId } = order);
    });

    const add = async (more: Partial<Rating> = {}) => {
      return await stores.ratings.add(newRating(order, more), event('rating.written', 'jar', by, now), {});
    };
    const change = (id: RatingId, more: Partial<Rating>) =>
      stores.ratings.change(id, (before) => ({
        after: { ...before, ...more },
        event: event('rating.changed', 'jar', by, now),
      }));
    const counts = async () => (await stores.ratings.counts([productId])).get(productId);

    it('are found by id and by product and address, with every fact', async () => {
      const added = must(await add());
      expect(added).to.deep.equal({ id: added.id, ...newRating(order) });
      expect(await stores.ratings.findById(added.id)).to.deep.equal(added);
      expect(await stores.ratings.findOf(productId, 'ada@example.com')).to.deep.equal(added);
      expect(await stores.ratings.findOf(productId, 'grace@example.com')).to.equal(undefined);
      expect(await stores.ratings.findById(toRatingId(999_999_999_999_999))).to.equal(undefined);
      const answered = { reply: 'Thanks', repliedAt: now + 1, report: 'Why?', state: 'reported' } as const;
      expect(await change(added.id, answered)).to.deep.equal({ ...added, ...answered });
      const [told] = await stores.audit.list({ limit: 1 });
      expect(told).to.include({ type: 'rating.changed', subject: 'jar' });
    });

    it('of one address are added once for each product, however many are added at once', async () => {
      const all = await Promise.all(Array.from({ length: 8 }, (_, n) => add({ stars: 1 + (n % 5) })));
      const added = all.filter((one) => one !== undefined);
      expect(added).to.have.lengthOf(1);
      expect((await counts())?.reduce((sum, count) => sum + count)).to.equal(1);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(3);
    });

    it('are listed newest first, by state, of one product and of all', async () => {
      const states: readonly RatingState[] = ['shown', 'hidden', 'shown', 'reported', 'shown'];
      const ids: RatingId[] = [];
      for (const [n, state] of states.entries()) {
        ids.push(must(await add({ state, buyerEmail: `${n}@example.com` })).id);
      }
      const listed = async (wanted: readonly RatingState[], before?: RatingId, of: ProductId | undefined = productId) =>
        (await stores.ratings.list({ productId: of, states: wanted, before, limit: 2 })).map(({ id }) =>
          ids.indexOf(id),
        );
      expect(await listed(['shown', 'reported'])).to.deep.equal([4, 3]);
      expect(await listed(['shown', 'reported'], ids[3])).to.deep.equal([2, 0]);
      expect(await listed(['shown', 'reported'], ids[0])).to.deep.equal([]);
      expect(await listed(['hidden'], undefined, undefined)).to.deep.equal([1]);
      expect(await listed(['hidden'], toRatingId(999_999_999_999_999))).to.deep.equal([1]);
    });

    it('are counted by stars while they are shown, through every change', async () => {
      const first = must(await add());
      expect(await counts()).to.deep.equal([0, 0, 0, 1, 0]);
      await change(first.id, { stars: 5 });
      expect(await counts()).to.deep.equal([0, 0, 0, 0, 1]);
      for (const state of ratingStates) {
        await change(first.id, { state });
        expect(await counts(), state).to.deep.equal(isShown({ state }) ? [0, 0, 0, 0, 1] : undefined);
      }
      await Promise.all([1, 2, 3, 4, 5].map((stars) => add({ stars, buyerEmail: `${stars}@example.com` })));
      expect(await counts()).to.deep.equal([1, 1, 1, 1, 1]);
      await Promise.all([1, 2, 3].map((stars) => change(first.id, { stars, state: 'shown' })));
      const sum = must(await counts()).reduce((all, count) => all + count);
      expect(sum).to.equal(6);
      expect(await stores.ratings.counts([])).to.deep.equal(new Map());
    });

    it('stay as they are after a refusal, and without an event', async () => {
      const added = must(await add());
      const refused = await stores.ratings.change(added.id, () => refuse('no'));
      expect(refused && isRefused(refused) && refused.reason).to.equal('no');
      expect(await stores.ratings.change(added.id, (before) => ({ after: { ...before, stars: 1 } }))).to.deep.equal(
        added,
      );
      expect(await counts()).to.deep.equal([0, 0, 0, 1, 0]);
    });
  });
}
