import { expect } from 'chai';
import fc from 'fast-check';
import type { Event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import { backends, openForAll } from '../support/backends.ts';
import { addProduct, issuedAt, keyNumber, newLicense } from '../support/license-acts.ts';

const text = fc.string({ unit: 'grapheme' });
const fact = fc.oneof(text, fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
const anyEvent: fc.Arbitrary<Event> = fc.record({
  type: fc.constantFrom('license.issued', 'license.imported', 'license.renewed', 'user.added'),
  at: fc.integer({ min: 0, max: 8_640_000_000_000_000 }),
  actor: text,
  reason: fc.option(text),
  subject: fc.constantFrom('one', 'two', 'One', "it's", '%', ''),
  data: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    fact,
    { maxKeys: 4, noNullPrototype: true },
  ),
});

for (const backend of backends) {
  describe(`audit log: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let productId: ProductId;
    let number = 0;

    before(async () => {
      productId = await addProduct(stores.products);
    });

    /** Saves the events together with a change, as stores do. */
    const save = (...events: Event[]) => stores.licenses.add([newLicense(keyNumber(number++), productId)], events);
    const told = (subject: string, at: number): Event => ({
      type: 'license.renewed',
      at,
      actor: `actor ${at}`,
      reason: null,
      subject,
      data: { at },
    });

    it('lists all events, or those of one subject, unchanged and newest first', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), async (events) => {
          await save(...events);
          const newestFirst = events.toReversed();
          expect(await stores.audit.list({ limit: events.length })).to.deep.equal(newestFirst);
          for (const { subject } of events) {
            const same = newestFirst.filter((event) => event.subject === subject);
            expect(await stores.audit.list({ subject, limit: same.length })).to.deep.equal(same);
          }
        }),
        { numRuns: 40 },
      );
    });

    it('lists events in the order of the changes, not of their times', async () => {
      await save(told('order', issuedAt + 9));
      await save(told('order', issuedAt + 1), told('order', issuedAt + 5));
      const times = (await stores.audit.list({ subject: 'order', limit: 9 })).map(({ at }) => at - issuedAt);
      expect(times).to.deep.equal([5, 1, 9]);
    });

    it('lists at most the requested number of events: the latest ones', async () => {
      await save(...[1, 2, 3, 4].map((at) => told('limit', at)));
      for (const [limit, times] of [
        [0, []],
        [1, [4]],
        [3, [4, 3, 2]],
        [4, [4, 3, 2, 1]],
        [5, [4, 3, 2, 1]],
      ] as const) {
        expect((await stores.audit.list({ subject: 'limit', limit })).map(({ at }) => at)).to.deep.equal(times);
      }
    });

    it('lists nothing for a subject without events', async () => {
      expect(await stores.audit.list({ subject: 'nobody', limit: 9 })).to.deep.equal([]);
    });
  });
}
