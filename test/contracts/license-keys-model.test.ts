import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import type { ProductId } from '../../core/id.ts';
import { type ForeignKind, parseForeignAlias } from '../../core/licensing/alias.ts';
import { createLicensing } from '../../core/licensing/licensing.ts';
import { isRefused } from '../../core/refusal.ts';
import { createFindLicense } from '../../core/selling/find-license.ts';
import { createLicenseKeys } from '../../core/selling/license-keys.ts';
import { backends, openForAll } from '../support/backends.ts';
import { operator } from '../support/by.ts';
import { withoutProofs } from '../support/domain-proofs.ts';
import { writeLetter } from '../support/letters.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, must, newLicense, outcome } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

const day = 86_400_000;
const site = domain('shop.example');
const seller = { actor: operator, mode: 'test' } as const;

const which = fc.nat({ max: 1 });
const text = fc.constantFrom('Old Key 1', 'old key 1', 'OLDKEY1x', 'Another Key', 'anotherkey');
const kind = fc.constantFrom<ForeignKind>('gumroad', 'other', 'keygen');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('add' as const), which, text, kind, days: fc.constantFrom(null, 1, 3) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), which, at: fc.nat({ max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('rotate' as const), which, days: fc.constantFrom(0, 1, 2, 30) }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('wait' as const), days: fc.constantFrom(1, 2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('rotate twice' as const), which, days: fc.constantFrom(0, 1) }),
  },
);

/** What the model knows of a text. `spellings`: how it may be written. */
interface Known {
  readonly license: number;
  readonly kind: ForeignKind | 'former';
  readonly text: string;
  until: number | null;
  isGone: boolean;
}

const folded = (written: string) => written.replaceAll(' ', '').toLowerCase();

for (const backend of backends) {
  describe(`keys of licenses: ${backend.name}`, () => {
    const stores = openForAll(backend);
    let productId: ProductId;
    let issued = 0;
    before(async () => {
      productId = await addProduct(stores.products);
    });

    it('lead where a model says after any changes, and all count on the same license', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
          const clock = createManualClock(issuedAt);
          const licensing = createLicensing({
            store: stores.licenses,
            aliases: stores.aliases,
            ...withoutProofs,
            clock,
          });
          const find = createFindLicense(stores.licenses, stores.search, clock);
          const keys = createLicenseKeys({
            store: stores.aliases,
            find,
            clock,
            secrets: systemSecrets,
            write: writeLetter,
          });
          const run = ++issued;
          /** The texts of each run are its own, because all runs share a database. */
          const own = (written: string) => `${written}/${run}`;
          const present: string[] = [keyNumber(1000 + 2 * run), keyNumber(1001 + 2 * run)];
          const act = actOn(stores.licenses);
          await act.issue(...present.map((key) => newLicense(key as ReturnType<typeof keyNumber>, productId)));
          const counts = [0, 0];
          for (const key of present)
            expect(outcome(await licensing.activate({ licenseKey: key, domain: site }))).to.equal('ok');
          const known: Known[] = [];
          const isListed = (one: Known) => (one.kind === 'former' ? leads(one) : !one.isGone);
          const leads = (one: Known) => !one.isGone && (one.until === null || clock.now() < one.until);

          async function rotate(license: number, days: number): Promise<void> {
            const before = must(present[license]);
            const done = await keys.rotate(before, days, seller);
            const today = known.filter((one) => one.kind === 'former' && one.license === license).length;
            if (isRefused(done)) {
              expect(done.reason).to.equal('rotation_limit_reached');
              expect(today).to.be.at.least(10);
              return;
            }
            known.push({ license, kind: 'former', text: before, until: clock.now() + days * day, isGone: false });
            present[license] = done.shown.license.key;
          }

          async function make(one: typeof step extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
            switch (one.act) {
              case 'wait':
                return clock.advance(one.days * day);
              case 'rotate':
                return await rotate(one.which, one.days);
              case 'rotate twice': {
                const before = must(present[one.which]);
                const both = await Promise.all([1, 2].map(() => keys.rotate(before, one.days, seller)));
                const [done, ...more] = both.flatMap((each) => (isRefused(each) ? [] : [each]));
                expect(more).to.deep.equal([]);
                if (done === undefined) return;
                known.push({
                  license: one.which,
                  kind: 'former',
                  text: before,
                  until: clock.now() + one.days * day,
                  isGone: false,
                });
                present[one.which] = done.shown.license.key;
                return;
              }
              case 'add': {
                const written = own(one.text);
                const validUntil = one.days === null ? null : clock.now() + one.days * day;
                const wanted = { text: must(parseForeignAlias(written)), kind: one.kind, validUntil };
                const answer = await keys.addAlias(must(present[one.which]), wanted, seller);
                const isTaken = known.some((each) => !each.isGone && folded(each.text) === folded(written));
                expect(outcome(answer)).to.equal(isTaken ? 'alias_taken' : 'ok');
                if (!isTaken)
                  known.push({ license: one.which, kind: one.kind, text: written, until: validUntil, isGone: false });
                return;
              }
              case 'remove': {
                const key = must(present[one.which]);
                const listed = await keys.aliases(key, seller);
                const mine = known.filter((each) => each.license === one.which && isListed(each));
                expect(isRefused(listed) ? [] : listed.map((each) => each.kind)).to.deep.equal(
                  mine.map((each) => each.kind),
                );
                const [alias, removed] = [isRefused(listed) ? undefined : listed[one.at], mine[one.at]];
                if (alias === undefined || removed === undefined) return;
                expect(outcome(await keys.removeAlias(key, alias.id, seller))).to.equal('ok');
                if (removed.kind === 'former') removed.until = clock.now();
                else removed.isGone = true;
                return;
              }
            }
          }

          async function check(): Promise<void> {
            const spelled = ['Old Key 1', 'old key 1', 'OLDKEY1x', 'oldkey1X', 'Another Key', 'anotherkey'].map(own);
            const texts = [...present, ...spelled, ...known.map((each) => each.text)];
            for (const asked of new Set(texts)) {
              const direct = present.indexOf(asked);
              const found = known.find((each) => {
                const isSame = each.kind === 'gumroad' ? folded(each.text) === folded(asked) : each.text === asked;
                return isSame && leads(each);
              });
              const expected = direct >= 0 ? direct : found?.license;
              const verdict = await licensing.verify({ licenseKey: asked, domain: site });
              expect(outcome(verdict), asked).to.equal(expected === undefined ? 'invalid_key' : 'ok');
              if (!isRefused(verdict) && direct < 0) expect(verdict.keyEndsAt ?? null).to.equal(found?.until);
              if (expected !== undefined) counts[expected] = must(counts[expected]) + 1;
            }
            for (const [license, key] of present.entries()) {
              const shown = await licensing.status(key);
              if (isRefused(shown)) throw new Error(key);
              expect([shown.verifications.verificationCount, shown.domainsUsed]).to.deep.equal([counts[license], 1]);
            }
          }

          for (const one of steps) {
            await make(one);
            await check();
          }
        }),
        { numRuns: runs(50) },
      );
    });
  });
}
