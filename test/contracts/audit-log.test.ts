import { expect } from 'chai';
import fc from 'fast-check';
import type { Event } from '../../core/events/event.ts';
import type { AuditId, ProductId } from '../../core/id.ts';
import { backends, openForAll } from '../support/backends.ts';
import { addProduct, issuedAt, keyNumber, newLicense } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

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
        { numRuns: runs(40) },
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

    it('lists what passes all filters in pages of any size, by time unless `subject` is the only filter', async () => {
      const types = ['license.renewed', 'user.added'] as const;
      const actors = ['Ada', 'Bob'];
      const subjects = ['paged', 'paged too'];
      const times = [5, 3, 3, 9, 1, 7, 3, 2, 8, 6, 4, 3];
      const events = times.map(
        (at, n): Event => ({
          ...told(subjects[n % 5 === 0 ? 1 : 0] ?? '', at),
          type: types[n % 2] ?? 'user.added',
          actor: actors[n % 3 === 0 ? 1 : 0] ?? '',
        }),
      );
      await save(...events);
      const stored = await stores.auditLog.list({ limit: 10_000 });
      const filter = fc.record(
        {
          subject: fc.constantFrom(...subjects),
          actor: fc.constantFrom(...actors),
          type: fc.constantFrom(...types),
          from: fc.integer({ min: 0, max: 10 }),
          to: fc.integer({ min: 0, max: 10 }),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(filter, fc.integer({ min: 1, max: 5 }), async (wanted, limit) => {
          const { subject, actor, type, from, to } = wanted;
          const isByTime = [actor, type, from, to].some((one) => one !== undefined);
          const expected = stored
            .filter((one) => subject === undefined || one.subject === subject)
            .filter((one) => actor === undefined || one.actor === actor)
            .filter((one) => type === undefined || one.type === type)
            .filter(({ at }) => (from === undefined || at >= from) && (to === undefined || at < to))
            .sort((one, other) => (isByTime ? other.at - one.at : 0) || other.id - one.id);
          const found = [];
          for (
            let before: AuditId | undefined;
            found.length < Math.min(expected.length, 15);
            before = found.at(-1)?.id
          ) {
            const page = await stores.auditLog.list({ ...wanted, before, limit });
            expect(page).to.deep.equal(expected.slice(found.length, found.length + limit));
            found.push(...page);
          }
        }),
        { numRuns: runs(60) },
      );
    });

    it('forgets what is older than a time, however much it is, and nothing else', async () => {
      const count = 450;
      const forget = (before: number) => stores.auditLog.forget(before);
      await forget(Number.MAX_SAFE_INTEGER);
      // A clock that was wrong put these first.
      await save(...Array.from({ length: count }, (_, n) => told('ahead', issuedAt + 9e9 + n)));
      await save(...Array.from({ length: count }, (_, n) => told('x', issuedAt + n)));
      expect(await forget(issuedAt)).to.equal(0);
      expect(await forget(issuedAt + 420)).to.equal(420);
      const left = await stores.auditLog.list({ subject: 'x', limit: 500 });
      expect(left.map(({ at }) => at - issuedAt).reverse()).to.deep.equal(
        Array.from({ length: count - 420 }, (_, n) => 420 + n),
      );
      expect(await stores.auditLog.list({ subject: 'ahead', limit: 500 })).to.have.lengthOf(count);
    });

    it('lists nothing for a subject without events', async () => {
      expect(await stores.audit.list({ subject: 'nobody', limit: 9 })).to.deep.equal([]);
    });
  });
}
