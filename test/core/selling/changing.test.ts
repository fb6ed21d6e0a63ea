import { expect } from 'chai';
import fc from 'fast-check';
import type { Actor } from '../../../core/accounts/role.ts';
import { plainTransitions, statusOf } from '../../../core/licensing/license.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { isRefused } from '../../../core/refusal.ts';
import { createChanging, createTransitLicense } from '../../../core/selling/changing.ts';
import { createFindLicense } from '../../../core/selling/find-license.ts';
import { openForEach } from '../../support/backends.ts';
import { by } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { inMemory } from '../../support/in-memory.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, must, newLicense } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const day = 86_400_000;
const operator: Actor = { kind: 'operator', by };
const seller = { actor: operator, mode: 'test' } as const;
const elsewhere = { actor: operator, mode: 'live' } as const;
const key = keyNumber(1);

describe('changing a license', () => {
  const stores = openForEach(inMemory);
  let now: Instant;
  const changing = () => {
    const clock = { now: () => now };
    const find = createFindLicense(stores.licenses, stores.search, clock);
    return createChanging(stores.licenses, find, createTransitLicense(stores.licenses, clock), clock);
  };
  const issue = async (terms = {}) => {
    const productId = await addProduct(stores.products);
    await actOn(stores.licenses).issue(newLicense(key, productId, terms));
  };
  const stored = async () => must(await stores.licenses.find(key)).license;
  const events = async () => (await stores.audit.list({ subject: key, limit: 99 })).map(({ type }) => type);
  beforeEach(() => {
    now = issuedAt + 5;
  });

  it('returns the license after a transition, with its hosts and verifications', async () => {
    await issue();
    const act = actOn(stores.licenses);
    await act.activate(key, domain('shop.example'), now);
    await act.verify(key, domain('shop.example'), now + 1);
    const shown = good(await changing().transit(key.toLowerCase(), 'suspend', seller));
    expect(shown).to.deep.include({ license: await stored(), status: 'suspended' });
    expect(shown.domains.map((one) => one.domain)).to.deep.equal(['shop.example']);
    expect(shown.verifications.verificationCount).to.equal(1);
  });

  it('refuses what the seller does not reach exactly as what does not exist, and changes nothing', async () => {
    await issue();
    const before = await stored();
    const { transit, renew, change } = changing();
    const answers = await Promise.all([
      transit(keyNumber(404), 'suspend', seller),
      transit('no key', 'suspend', seller),
      transit(key, 'suspend', elsewhere),
      renew(key, null, elsewhere),
      change(key, { maxDomains: 9 }, elsewhere),
    ]);
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(answers[0]).to.include({ reason: 'invalid_key' });
    expect(await stored()).to.deep.equal(before);
  });

  it('renews by the terms of the product from the end of the license on, or from now if it has ended', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -50, max: 50 }), async (days) => {
        const number = await addProduct(stores.products);
        const one = keyNumber(1_000 + renewed++);
        const end = issuedAt + 60 * day;
        await actOn(stores.licenses).issue(newLicense(one, number, { expiresAt: end }));
        now = end + days * day;
        const { license } = good(await changing().renew(one, undefined, seller));
        expect(license.expiresAt).to.equal(Math.max(now, end) + 30 * day);
      }),
      { numRuns: runs(40) },
    );
  });
  let renewed = 0;

  it('is recorded once for each change, and shows what is stored', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.constantFrom(...plainTransitions),
        fc.record({ until: fc.constantFrom(null, issuedAt, issuedAt + day, issuedAt + 2 * day) }),
        fc.record({ maxDomains: fc.integer({ min: 1, max: 4 }) }),
      ),
      { maxLength: 6 },
    );
    await issue({ expiresAt: issuedAt + 10 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        for (const step of all) {
          const [before, told] = [await stored(), (await events()).length];
          const { transit, renew, change } = changing();
          const answer =
            typeof step === 'string'
              ? await transit(key, step, seller)
              : 'until' in step
                ? await renew(key, step.until, seller)
                : await change(key, step, seller);
          const after = await stored();
          const isChanged =
            !isRefused(answer) && !('maxDomains' in Object(step) && after.maxDomains === before.maxDomains);
          expect((await events()).length - told).to.equal(isChanged ? 1 : 0);
          if (isRefused(answer)) expect(after).to.deep.equal(before);
          else expect(answer).to.deep.include({ license: after, status: statusOf(after, now) });
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('replaces only the notes that are given, and names them in the audit trail without their texts', async () => {
    await issue();
    await changing().change(key, { reference: 'R-1', metadata: { a: 'b' } }, seller);
    const shown = good(await changing().change(key, { reference: 'R-2' }, seller));
    expect(shown.notes).to.deep.equal({ holder: null, reference: 'R-2', metadata: { a: 'b' } });
    const [last] = await stores.audit.list({ subject: key, limit: 1 });
    expect(last?.data).to.deep.equal({ changed: 'reference', max_domains: 3 });
  });
});
