import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import { type ProductId, toProductId } from '../../core/id.ts';
import type { DomainName } from '../../core/licensing/domain-name.ts';
import type { License } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { judge } from '../../core/licensing/verdict.ts';
import { refuse } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import {
  actOn,
  addProduct,
  domain,
  issuedAt,
  keyNumber,
  lasting,
  must,
  newLicense,
  outcome,
} from '../support/license-acts.ts';
import { partitionedPostgres } from '../support/postgres-backend.ts';
import { runs } from '../support/runs.ts';

const shop = domain('shop.example');
const blog = domain('blog.example');
const cafe = domain('café.example');

for (const backend of [...backends, partitionedPostgres]) {
  describe(`license store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let productId: ProductId;
    let act: ReturnType<typeof actOn>;

    beforeEach(async () => {
      productId = await addProduct(stores.products);
      act = actOn(stores.licenses);
    });

    const issue = (key: LicenseKey, terms = {}) => act.issue(newLicense(key, productId, terms));
    const record = async (key: LicenseKey) => must(await stores.licenses.find(key));
    const eventsOf = async (key: LicenseKey) =>
      (await stores.audit.list({ subject: key, limit: 1000 })).map(({ type }) => type).reverse();
    const counts = async (key: LicenseKey) =>
      Object.fromEntries((await record(key)).domains.map((one) => [one.domain, one.verificationCount]));

    describe('add and find', () => {
      it('finds an added license unchanged, with its product and without domains', async () => {
        await issue(keyNumber(1), { maxDomains: 1_000_000, expiresAt: issuedAt + 86_400_000, standing: 'suspended' });
        await issue(keyNumber(2));
        const { number, ...found } = await record(keyNumber(1));
        expect(number).to.not.equal((await record(keyNumber(2))).number);
        expect(found).to.deep.equal({
          license: {
            key: keyNumber(1),
            productId,
            ownerId: null,
            isLive: false,
            standing: 'suspended',
            maxDomains: 1_000_000,
            domainsUsed: 0,
            freeDomains: 0,
            daysFromActivation: null,
            updatesUntil: null,
            entitlements: [],
            moves: { month: null, made: 0 },
            ownStanding: null,
            expiresAt: issuedAt + 86_400_000,
            createdAt: issuedAt,
            retired: { verificationCount: 0, lastVerifiedAt: null },
          },
          product: { id: productId, title: 'Tip Jar', slug: 'tip-jar' },
          domains: [],
          verifications: { verificationCount: 0, lastVerifiedAt: null },
        });
      });

      it('looks at a license by key or number, without its domains', async () => {
        await issue(keyNumber(1), { maxDomains: 9 });
        await issue(keyNumber(2));
        outcome(await act.activate(keyNumber(1), shop, issuedAt));
        const { number, license } = await record(keyNumber(1));
        expect(await stores.licenses.look({ key: keyNumber(1) })).to.deep.equal({ number, license });
        expect(await stores.licenses.look({ number })).to.deep.equal({ number, license });
        expect(await stores.licenses.look({ key: keyNumber(9) })).to.equal(undefined);
        for (const other of [number + 99, -1, 1e15])
          expect(await stores.licenses.look({ number: other })).to.equal(undefined);
      });

      it('finds many at once, each with its newest domains that do not end', async () => {
        await issue(keyNumber(1), { maxDomains: 9 });
        await issue(keyNumber(2));
        const hosts = [shop, blog, cafe, domain('d.example')];
        for (const [n, host] of hosts.entries()) outcome(await act.activate(keyNumber(1), host, issuedAt + n));
        await act.deactivate(keyNumber(1), blog, issuedAt + 9);
        const found = await stores.licenses.findAll([keyNumber(2), keyNumber(9), keyNumber(1)], 2);
        const one = async (key: LicenseKey, ...domains: DomainName[]) => ({
          license: (await record(key)).license,
          domains,
        });
        expect(found).to.have.deep.members([
          await one(keyNumber(1), domain('d.example'), cafe),
          await one(keyNumber(2)),
        ]);
        expect(await stores.licenses.findAll([], 2)).to.deep.equal([]);
      });

      it('stores a license without an expiry, and one with the expiry 0', async () => {
        await act.issue(
          newLicense(keyNumber(1), productId, { expiresAt: null }),
          newLicense(keyNumber(2), productId, { expiresAt: 0 }),
        );
        expect((await record(keyNumber(1))).license.expiresAt).to.equal(null);
        expect((await record(keyNumber(2))).license.expiresAt).to.equal(0);
      });

      it('finds an added license immediately, also in a read that accepts older data', async () => {
        await issue(keyNumber(1));
        expect(await stores.licenses.find(keyNumber(1), 'stale')).to.deep.equal(await record(keyNumber(1)));
      });

      it('finds nothing for an unknown key', async () => {
        await issue(keyNumber(1));
        expect(await stores.licenses.find(keyNumber(2))).to.equal(undefined);
        expect(await stores.licenses.find(keyNumber(2), 'stale')).to.equal(undefined);
      });

      it('does not confuse the products of two licenses', async () => {
        const other = await addProduct(stores.products, 'Mint Page');
        await act.issue(newLicense(keyNumber(1), other), newLicense(keyNumber(2), productId));
        expect((await record(keyNumber(1))).product).to.deep.equal({
          id: other,
          title: 'Mint Page',
          slug: 'mint-page',
        });
        expect((await record(keyNumber(2))).product.slug).to.equal('tip-jar');
      });

      it('saves the events of the licenses in their order', async () => {
        await act.issue(newLicense(keyNumber(1), productId), newLicense(keyNumber(2), productId));
        const events = await stores.audit.list({ limit: 2 });
        expect(events.map(({ subject }) => subject)).to.deep.equal([keyNumber(2), keyNumber(1)]);
        expect(events[0]).to.deep.equal(event('license.issued', keyNumber(2), by, issuedAt));
      });

      it('adds several thousand licenses in one call', async () => {
        const keys = Array.from({ length: 2500 }, (_, n) => keyNumber(n));
        expect(await act.issue(...keys.map((key) => newLicense(key, productId)))).to.equal(undefined);
        expect((await stores.licenses.list({ limit: 5000 })).map(({ key }) => key)).to.deep.equal(keys);
      });

      it('refuses a list with a key that is already stored, names the key, and saves no license and no event', async () => {
        await issue(keyNumber(7), { maxDomains: 9 });
        const refused = await act.issue(
          ...[5, 6, 7, 8].map((n) => newLicense(keyNumber(n), productId, { maxDomains: 2 })),
        );
        expect(outcome(refused)).to.equal('key_taken');
        expect(refused?.detail).to.include(keyNumber(7));
        expect((await stores.licenses.list({ limit: 9 })).map(({ key }) => key)).to.deep.equal([keyNumber(7)]);
        expect((await record(keyNumber(7))).license.maxDomains).to.equal(9);
        expect(await eventsOf(keyNumber(5))).to.deep.equal([]);
        expect(await eventsOf(keyNumber(7))).to.deep.equal(['license.issued']);
      });

      it('refuses a list that contains a key twice, names the key, and saves no license', async () => {
        const refused = await act.issue(...[1, 2, 3, 2].map((n) => newLicense(keyNumber(n), productId)));
        expect(outcome(refused)).to.equal('key_taken');
        expect(refused?.detail).to.include(keyNumber(2));
        expect(await stores.licenses.list({ limit: 9 })).to.deep.equal([]);
      });

      it('finds two equal keys at any places in a long list', async () => {
        await fc.assert(
          fc.asyncProperty(fc.nat(1199), fc.nat(1199), async (one, other) => {
            fc.pre(one !== other);
            const numbers = Array.from({ length: 1200 }, (_, n) => n).with(one, other);
            const refused = await act.issue(...numbers.map((n) => newLicense(keyNumber(n), productId)));
            expect(refused?.detail).to.include(keyNumber(other));
            expect(await stores.licenses.list({ limit: 1 })).to.deep.equal([]);
          }),
          { numRuns: runs(15) },
        );
      });

      it('accepts exactly one of several concurrent additions of the same key', async () => {
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, n) =>
            act.issue(newLicense(keyNumber(100 + n), productId), newLicense(keyNumber(1), productId)),
          ),
        );
        expect(answers.map(outcome).sort()).to.deep.equal([...Array(11).fill('key_taken'), 'ok']);
        expect(await stores.licenses.list({ limit: 99 })).to.have.lengthOf(2);
        expect(await eventsOf(keyNumber(1))).to.deep.equal(['license.issued']);
      });
    });

    describe('list', () => {
      // The keys and the times are not in the order of issue.
      const numbers = [5, 3, 9, 1, 7, 2];
      let otherId: ProductId;

      beforeEach(async () => {
        otherId = await addProduct(stores.products, 'Mint Page');
        for (const [index, number] of numbers.entries()) {
          const product = index % 3 === 1 ? otherId : productId;
          await act.issue(newLicense(keyNumber(number), product, { createdAt: issuedAt - index }));
        }
      });

      const listed = async (filter: Parameters<typeof stores.licenses.list>[0]) =>
        (await stores.licenses.list(filter)).map(({ key }) => key);

      it('lists in the order of issue, and at most the requested number', async () => {
        expect(await listed({ limit: 99 })).to.deep.equal(numbers.map(keyNumber));
        expect(await listed({ limit: 2 })).to.deep.equal([5, 3].map(keyNumber));
        expect(await listed({ limit: 0 })).to.deep.equal([]);
      });

      it('lists the licenses of one product', async () => {
        expect(await listed({ productId: otherId, limit: 99 })).to.deep.equal([3, 7].map(keyNumber));
        expect(await listed({ productId: toProductId(otherId + 1), limit: 99 })).to.deep.equal([]);
      });

      it('lists the licenses that were issued after a key, and nothing after the last key or an unknown key', async () => {
        expect(await listed({ after: keyNumber(9), limit: 2 })).to.deep.equal([1, 7].map(keyNumber));
        expect(await listed({ after: keyNumber(2), limit: 99 })).to.deep.equal([]);
        expect(await listed({ after: keyNumber(404), limit: 99 })).to.deep.equal([]);
      });

      it('continues after a key of another product', async () => {
        expect(await listed({ productId: otherId, after: keyNumber(9), limit: 99 })).to.deep.equal([keyNumber(7)]);
      });

      it('shows every license exactly once across all pages of any size', async () => {
        for (const limit of [1, 2, 3, 4, 6, 7]) {
          const seen: LicenseKey[] = [];
          let page = await listed({ limit });
          while (page.length > 0) {
            seen.push(...page);
            page = await listed({ limit, after: must(page.at(-1)) });
          }
          expect(seen).to.deep.equal(numbers.map(keyNumber));
        }
      });

      it('shows the current state of the licenses', async () => {
        await act.activate(keyNumber(1), shop, issuedAt + 1);
        const license = (await stores.licenses.list({ limit: 99 })).find(({ key }) => key === keyNumber(1));
        expect(license).to.deep.equal((await record(keyNumber(1))).license);
        expect(license?.domainsUsed).to.equal(1);
      });
    });

    describe('change', () => {
      const change = (key: LicenseKey, to: Partial<License>, told = true) =>
        stores.licenses.change(key, undefined, (license) => ({
          license: { ...license, ...to },
          ...(told && { event: event('license.renewed', key, by, issuedAt + 5, { note: 'changed' }) }),
        }));

      it('passes the license to the decision, and the named domain if it is activated', async () => {
        await act.issue(newLicense(keyNumber(1), productId), newLicense(keyNumber(2), productId));
        await act.activate(keyNumber(1), shop, issuedAt + 10);
        await act.verify(keyNumber(1), shop, issuedAt + 20);
        const seen: unknown[] = [];
        for (const named of [undefined, [blog], [shop]]) {
          await stores.licenses.change(keyNumber(1), named, (license, { activations }) => {
            seen.push(license, ...activations.values());
            return { license };
          });
        }
        const { license } = await record(keyNumber(1));
        expect(license.domainsUsed).to.equal(1);
        const activation = {
          ...lasting,
          domain: shop,
          activatedAt: issuedAt + 10,
          verificationCount: 1,
          lastVerifiedAt: issuedAt + 20,
        };
        expect(seen).to.deep.equal([license, license, license, activation]);
      });

      it('saves and returns the decided license and its event, and changes no other license', async () => {
        await act.issue(newLicense(keyNumber(1), productId), newLicense(keyNumber(2), productId));
        const bystander = await record(keyNumber(2));
        const answer = await change(keyNumber(1), { standing: 'revoked', maxDomains: 8, expiresAt: issuedAt + 77 });
        const { license } = await record(keyNumber(1));
        expect(license).to.include({
          standing: 'revoked',
          maxDomains: 8,
          expiresAt: issuedAt + 77,
          createdAt: issuedAt,
        });
        expect(answer).to.deep.equal({
          license,
          event: event('license.renewed', keyNumber(1), by, issuedAt + 5, { note: 'changed' }),
        });
        expect(await eventsOf(keyNumber(1))).to.deep.equal(['license.issued', 'license.renewed']);
        expect(await record(keyNumber(2))).to.deep.equal(bystander);
      });

      it('saves nothing if the decision has no event', async () => {
        await issue(keyNumber(1));
        const before = await record(keyNumber(1));
        await change(keyNumber(1), { standing: 'revoked', maxDomains: 8 }, false);
        expect(await record(keyNumber(1))).to.deep.equal(before);
        expect(await eventsOf(keyNumber(1))).to.deep.equal(['license.issued']);
      });

      it('saves nothing if the decision is a refusal, and returns the refusal unchanged', async () => {
        await issue(keyNumber(1));
        const before = await record(keyNumber(1));
        const refused = await stores.licenses.change(keyNumber(1), [shop], () => refuse('not_today', 'It is Sunday.'));
        expect(refused).to.deep.equal(refuse('not_today', 'It is Sunday.'));
        expect(await record(keyNumber(1))).to.deep.equal(before);
        expect(await eventsOf(keyNumber(1))).to.deep.equal(['license.issued']);
      });

      it('saves nothing if the decision throws, throws the same error, and makes the next change', async () => {
        await issue(keyNumber(1));
        const before = await record(keyNumber(1));
        const broken = new Error('broken rule');
        const thrown = await stores.licenses
          .change(keyNumber(1), [shop], () => {
            throw broken;
          })
          .catch((error: unknown) => error);
        expect(thrown).to.equal(broken);
        expect(await record(keyNumber(1))).to.deep.equal(before);
        expect(outcome(await act.activate(keyNumber(1), shop, issuedAt))).to.equal('ok');
      });

      it('makes concurrent changes of other licenses even if one decision throws or refuses, or a key is unknown', async () => {
        const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
        for (const number of numbers) await issue(keyNumber(number));
        const broken = new Error('broken rule');
        const thrown = (number: number) =>
          stores.licenses
            .change(keyNumber(number), [shop], () => {
              throw broken;
            })
            .catch((error: unknown) => error);
        const activated = (number: number) => act.activate(keyNumber(number), shop, issuedAt).then(outcome);
        const refused = (number: number) =>
          stores.licenses.change(keyNumber(number), [shop], () => refuse('domain_limit_reached')).then(outcome);
        const acts = numbers.map((number) => [activated, thrown, activated, refused][number % 4]?.(number));
        const unknown = activated(404);
        const expected = ['ok', broken, 'ok', 'domain_limit_reached'];
        expect(await Promise.all(acts)).to.deep.equal(numbers.map((number) => expected[number % 4]));
        expect(await unknown).to.equal('invalid_key');
        for (const number of numbers) {
          const { license } = await record(keyNumber(number));
          expect(license.domainsUsed, `license ${number}`).to.equal(number % 2 === 0 ? 1 : 0);
        }
      });

      it('refuses an unknown key without calling the decision', async () => {
        let asked = false;
        const answer = await stores.licenses.change(keyNumber(404), [shop], (license) => {
          asked = true;
          return { license };
        });
        expect(outcome(answer)).to.equal('invalid_key');
        expect(asked).to.equal(false);
      });

      it('loses none of many concurrent changes that each build on the previous one', async () => {
        await issue(keyNumber(1), { maxDomains: 1 });
        await Promise.all(
          Array.from({ length: 40 }, () =>
            stores.licenses.change(keyNumber(1), undefined, (license) => ({
              license: { ...license, maxDomains: license.maxDomains + 1 },
              event: event('license.renewed', keyNumber(1), by, issuedAt),
            })),
          ),
        );
        expect((await record(keyNumber(1))).license.maxDomains).to.equal(41);
        expect(await eventsOf(keyNumber(1))).to.have.lengthOf(41);
      });
    });

    describe('changeEach', () => {
      const suspend = (license: License) => ({
        license: { ...license, standing: 'suspended' as const },
        event: event('license.suspended', license.key, by, issuedAt + 5),
      });

      it('changes each license that may be changed, and returns a result for each key in their order', async () => {
        const keys = Array.from({ length: 100 }, (_, index) => keyNumber(index + 1));
        const [first = keyNumber(1), refused, unknown] = [keys[0], keyNumber(50), keyNumber(70)];
        await act.issue(...keys.filter((key) => key !== unknown).map((key) => newLicense(key, productId)));
        await act.activate(first, shop, issuedAt);
        const asked = keys.toReversed();
        const results = await stores.licenses.changeEach(asked, (license) =>
          license.key === refused ? refuse('not_today') : suspend(license),
        );
        expect(results.map((one) => (one && 'license' in one ? one.license.key : one?.reason))).to.deep.equal(
          asked.map((key) => (key === refused ? 'not_today' : key === unknown ? 'invalid_key' : key)),
        );
        for (const key of keys.filter((one) => one !== unknown)) {
          const told = key === refused ? [] : ['license.suspended'];
          expect((await record(key)).license.standing).to.equal(key === refused ? 'active' : 'suspended');
          expect((await eventsOf(key)).filter((type) => type === 'license.suspended')).to.deep.equal(told);
        }
        expect(outcome(await act.verify(first, shop, issuedAt + 6))).to.equal('suspended');
      });

      it('passes the rules of the product to the decision', async () => {
        await issue(keyNumber(1));
        const seen: unknown[] = [];
        await stores.licenses.changeEach([keyNumber(1)], (license, { durationDays, movesPerMonth }) => {
          seen.push(durationDays, movesPerMonth);
          return { license };
        });
        expect(seen).to.deep.equal([30, 4]);
      });

      it('loses no change of a license that is changed by others at the same time', async () => {
        const keys = Array.from({ length: 30 }, (_, index) => keyNumber(index + 1));
        await act.issue(...keys.map((key) => newLicense(key, productId, { maxDomains: 1 })));
        const more = (license: License) => ({
          license: { ...license, maxDomains: license.maxDomains + 1 },
          event: event('license.changed', license.key, by, issuedAt + 5),
        });
        await Promise.all([
          ...[keys, keys.toReversed(), keys].map((some) => stores.licenses.changeEach(some, more)),
          ...keys.map((key) => stores.licenses.change(key, undefined, more)),
        ]);
        for (const key of keys) expect((await record(key)).license.maxDomains).to.equal(5);
      });
    });

    describe('domains', () => {
      it('are listed newest first, even if all were activated in the same millisecond', async () => {
        await issue(keyNumber(1));
        for (const name of [shop, cafe, blog]) await act.activate(keyNumber(1), name, issuedAt + 10);
        const newestFirst = async () => (await record(keyNumber(1))).domains.map((one) => one.domain);
        expect(await newestFirst()).to.deep.equal([blog, cafe, shop]);
        for (const name of [cafe, shop]) {
          await act.deactivate(keyNumber(1), name, issuedAt + 10);
          await act.activate(keyNumber(1), name, issuedAt + 10);
        }
        await act.verify(keyNumber(1), blog, issuedAt + 10);
        expect(await newestFirst()).to.deep.equal([shop, cafe, blog]);
      });

      it('are listed in the order of activation, even if the clock was set back in between', async () => {
        await act.issue(newLicense(keyNumber(1), productId, { maxDomains: 3 }));
        await act.activate(keyNumber(1), shop, issuedAt + 86_400_000);
        await act.activate(keyNumber(1), blog, issuedAt + 3_600_000);
        await act.activate(keyNumber(1), cafe, issuedAt);
        expect((await record(keyNumber(1))).domains.map((one) => one.domain)).to.deep.equal([cafe, blog, shop]);
      });

      it('are listed up to the 100 newest, and the verifications of all of them are counted', async () => {
        await act.issue(newLicense(keyNumber(1), productId, { maxDomains: 999 }), newLicense(keyNumber(2), productId));
        const names = Array.from({ length: 103 }, (_, n) => domain(`${(n * 7) % 103}.example`));
        for (const [n, name] of names.entries()) await act.activate(keyNumber(1), name, issuedAt + n);
        await act.activate(keyNumber(2), must(names[0]), issuedAt);
        for (const [name, at] of [
          [must(names[0]), issuedAt + 900],
          [must(names[1]), issuedAt + 800],
          [must(names[102]), issuedAt + 700],
        ] as const) {
          await act.verify(keyNumber(1), name, at);
        }
        await act.verify(keyNumber(2), must(names[0]), issuedAt + 950);
        const { license, domains, verifications } = await record(keyNumber(1));
        expect(domains.map((one) => one.domain)).to.deep.equal(names.slice(3).reverse());
        expect(license.domainsUsed).to.equal(103);
        expect(verifications).to.deep.equal({ verificationCount: 3, lastVerifiedAt: issuedAt + 900 });
        expect(await counts(keyNumber(2))).to.deep.equal({ [must(names[0])]: 1 });
      });

      it('start with zero verifications, also when they are activated again after a deactivation', async () => {
        await issue(keyNumber(1));
        await act.activate(keyNumber(1), shop, issuedAt + 1);
        await act.verify(keyNumber(1), shop, issuedAt + 2);
        await act.deactivate(keyNumber(1), shop, issuedAt + 3);
        await act.activate(keyNumber(1), shop, issuedAt + 4);
        expect((await record(keyNumber(1))).domains).to.deep.equal([
          { ...lasting, domain: shop, activatedAt: issuedAt + 4, verificationCount: 0, lastVerifiedAt: null },
        ]);
      });

      it('do not change when they are activated a second time', async () => {
        await issue(keyNumber(1));
        await act.activate(keyNumber(1), shop, issuedAt + 1);
        await act.verify(keyNumber(1), shop, issuedAt + 2);
        const before = await record(keyNumber(1));
        expect(outcome(await act.activate(keyNumber(1), shop, issuedAt + 3))).to.equal('ok');
        expect(await record(keyNumber(1))).to.deep.equal(before);
        expect(await eventsOf(keyNumber(1))).to.deep.equal(['license.issued', 'license.activated']);
      });

      it('add their verifications to the license when they are deactivated', async () => {
        await issue(keyNumber(1));
        for (const [index, name] of [shop, blog].entries()) {
          await act.activate(keyNumber(1), name, issuedAt);
          for (let n = 0; n < 3 + index; n++) await act.verify(keyNumber(1), name, issuedAt + 100 * (index + 1) + n);
        }
        await act.deactivate(keyNumber(1), blog, issuedAt + 900);
        await act.deactivate(keyNumber(1), shop, issuedAt + 900);
        const { license, domains } = await record(keyNumber(1));
        expect(license.retired).to.deep.equal({ verificationCount: 7, lastVerifiedAt: issuedAt + 203 });
        expect(license.domainsUsed).to.equal(0);
        expect(domains).to.deep.equal([]);
      });

      it('of one license do not affect another license with the same domain', async () => {
        await act.issue(newLicense(keyNumber(1), productId), newLicense(keyNumber(2), productId));
        for (const n of [1, 2]) await act.activate(keyNumber(n), shop, issuedAt + n);
        await act.verify(keyNumber(2), shop, issuedAt + 9);
        expect(await counts(keyNumber(1))).to.deep.equal({ [shop]: 0 });
        await act.deactivate(keyNumber(1), shop, issuedAt + 10);
        expect(await counts(keyNumber(2))).to.deep.equal({ [shop]: 1 });
      });

      it('reach but never exceed the limit during concurrent activations', async () => {
        let number = 1000;
        const names = fc.array(fc.nat(9), { minLength: 1, maxLength: 24 });
        await fc.assert(
          fc.asyncProperty(names, fc.integer({ min: 1, max: 6 }), async (picks, limit) => {
            const key = keyNumber(number++);
            await issue(key, { maxDomains: limit });
            const answers = await Promise.all(
              picks.map(async (pick) => {
                const name = domain(`site-${pick}.example`);
                return { name, said: outcome(await act.activate(key, name, issuedAt + 1)) };
              }),
            );
            const { license, domains } = await record(key);
            const held = domains.map((one) => one.domain);
            expect(held).to.have.lengthOf(Math.min(limit, new Set(picks).size));
            expect(license.domainsUsed).to.equal(held.length);
            for (const { name, said } of answers) {
              expect(said).to.equal(held.includes(name) ? 'ok' : 'domain_limit_reached');
            }
            const activated = (await eventsOf(key)).filter((type) => type === 'license.activated');
            expect(activated).to.have.lengthOf(held.length);
          }),
          { numRuns: runs(25) },
        );
      });
    });

    describe('hosts that are moved', () => {
      const hour = 3_600_000;
      const [key, later] = [keyNumber(1), issuedAt + hour];
      const moved = (from: DomainName, to: DomainName, overlapHours: number, at = issuedAt) =>
        act.move(key, { from, to, overlapHours }, at).then(outcome);
      const verified = async (name: DomainName, at: number) => outcome(await act.verify(key, name, at));

      beforeEach(async () => {
        await issue(key, { maxDomains: 1 });
        await act.activate(key, shop, issuedAt);
        await act.verify(key, shop, issuedAt + 1);
      });

      it('share one slot, and end at their time, also if the verification was cached before', async () => {
        expect(await moved(shop, blog, 1)).to.equal('ok');
        expect(await verified(shop, later - 1)).to.equal('ok');
        expect(await verified(blog, later - 1)).to.equal('ok');
        expect((await record(key)).license.domainsUsed).to.equal(1);
        expect(await verified(shop, later)).to.equal('invalid_domain');
        expect(await verified(blog, later)).to.equal('ok');
        expect(await counts(key)).to.deep.equal({ [shop]: 2, [blog]: 2 });
      });

      it('are never more than two for a slot, and the first ends at once', async () => {
        await moved(shop, blog, 72);
        expect(await moved(blog, cafe, 72)).to.equal('ok');
        expect(await verified(shop, issuedAt + 2)).to.equal('invalid_domain');
        expect(Object.keys(await counts(key))).to.have.members([blog, cafe]);
        const { license } = await record(key);
        expect(license.retired).to.deep.equal({ verificationCount: 1, lastVerifiedAt: issuedAt + 1 });
        await act.deactivate(key, cafe, issuedAt + 3);
        expect(await counts(key), 'both end together').to.deep.equal({});
        expect((await record(key)).license.domainsUsed).to.equal(0);
      });

      it('can be moved back, and then start with zero verifications', async () => {
        await moved(shop, blog, 72);
        expect(await moved(blog, shop, 0)).to.equal('ok');
        expect(await counts(key)).to.deep.equal({ [shop]: 0 });
        expect(await verified(blog, issuedAt + 2)).to.equal('invalid_domain');
        expect(await verified(shop, issuedAt + 2)).to.equal('ok');
      });

      it('are removed after their end and not before, also by several calls at once, and their counts remain', async () => {
        await moved(shop, blog, 1);
        expect(await stores.licenses.removeEnded(later - 1, 10)).to.equal(0);
        const removed = await Promise.all(
          Array.from({ length: 5 }, () => stores.licenses.removeEnded(later, 10).catch(() => 0)),
        );
        while ((await stores.licenses.removeEnded(later, 10)) > 0);
        expect(removed.reduce((sum, one) => sum + one, 0)).to.be.at.most(1);
        const { license, domains } = await record(key);
        expect(domains.map((one) => one.domain)).to.deep.equal([blog]);
        expect(license).to.include({ domainsUsed: 1 });
        expect(license.retired).to.deep.equal({ verificationCount: 1, lastVerifiedAt: issuedAt + 1 });
      });

      it('are removed at most the given number at a time', async () => {
        for (let n = 2; n <= 6; n++) {
          await issue(keyNumber(n));
          await act.activate(keyNumber(n), shop, issuedAt);
          await act.move(keyNumber(n), { from: shop, to: blog, overlapHours: 1 }, issuedAt);
        }
        expect(await stores.licenses.removeEnded(later, 3)).to.equal(3);
        expect(await stores.licenses.removeEnded(later, 3)).to.equal(2);
      });

      it('can be activated again after their end, before they are removed', async () => {
        await issue(keyNumber(2), { maxDomains: 2 });
        await act.activate(keyNumber(2), shop, issuedAt);
        await act.move(keyNumber(2), { from: shop, to: blog, overlapHours: 1 }, issuedAt);
        expect(outcome(await act.activate(keyNumber(2), shop, later))).to.equal('ok');
        expect(await stores.licenses.removeEnded(later, 10)).to.equal(0);
        expect((await record(keyNumber(2))).license.domainsUsed).to.equal(2);
      });
    });

    describe('a host and its twin', () => {
      const [apex, www] = [domain('shop.example'), domain('www.shop.example')];
      const key = keyNumber(1);

      beforeEach(async () => {
        const hosts = { localHostsAreFree: false, previewHosts: [], wwwIsApex: true };
        const product = await addProduct(stores.products, 'One', { hosts });
        await act.issue(newLicense(key, product, { maxDomains: 2 }), newLicense(keyNumber(2), productId));
      });

      it('are one domain if the product says so: their verifications are counted on one activation', async () => {
        await act.activate(key, www, issuedAt);
        const names = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? apex : www));
        const answers = await Promise.all(names.map((name) => act.verify(key, name, issuedAt + 1)));
        expect(new Set(answers.map(outcome))).to.deep.equal(new Set(['ok']));
        await Promise.all(names.map((name) => act.verify(key, name, issuedAt + 2)));
        expect(await counts(key)).to.deep.equal({ [apex]: 80 });
        await act.deactivate(key, www, issuedAt + 3);
        for (const name of [apex, www])
          expect(outcome(await act.verify(key, name, issuedAt + 4))).to.equal('invalid_domain');
      });

      it('are two domains by default', async () => {
        await act.activate(keyNumber(2), www, issuedAt);
        expect(outcome(await act.verify(keyNumber(2), apex, issuedAt))).to.equal('invalid_domain');
        expect(await counts(keyNumber(2))).to.deep.equal({ [www]: 0 });
      });

      it('are moved together', async () => {
        await act.activate(key, apex, issuedAt);
        await act.move(key, { from: www, to: blog, overlapHours: 1 }, issuedAt);
        const end = issuedAt + 3_600_000;
        for (const name of [apex, www]) expect(outcome(await act.verify(key, name, end - 1))).to.equal('ok');
        for (const name of [apex, www]) expect(outcome(await act.verify(key, name, end))).to.equal('invalid_domain');
      });
    });

    describe('a license that starts with its first activation', () => {
      const day = 86_400_000;

      it('gets its expiry then, also if hosts without a slot were activated before, and keeps it', async () => {
        const hosts = { localHostsAreFree: true, previewHosts: [], wwwIsApex: false };
        const product = await addProduct(stores.products, 'Late', { hosts });
        await act.issue(newLicense(keyNumber(1), product, { daysFromActivation: 30 }));
        await act.activate(keyNumber(1), domain('localhost'), issuedAt + 1);
        await act.verify(keyNumber(1), domain('localhost'), issuedAt + 2);
        expect((await record(keyNumber(1))).license).to.include({
          expiresAt: null,
          daysFromActivation: 30,
          freeDomains: 1,
        });
        await act.activate(keyNumber(1), shop, issuedAt + 5);
        await act.activate(keyNumber(1), blog, issuedAt + 9);
        const started = { expiresAt: issuedAt + 5 + 30 * day, daysFromActivation: null, domainsUsed: 2 };
        expect((await record(keyNumber(1))).license).to.include(started);
        const end = started.expiresAt;
        expect(outcome(await act.verify(keyNumber(1), domain('localhost'), end - 1))).to.equal('ok');
        expect(outcome(await act.verify(keyNumber(1), domain('localhost'), end))).to.equal('expired');
      });
    });

    describe('verify', () => {
      beforeEach(async () => {
        await act.issue(
          newLicense(keyNumber(1), productId, { expiresAt: issuedAt + 5000 }),
          newLicense(keyNumber(2), productId),
          newLicense(keyNumber(3), productId),
        );
        for (const n of [1, 2]) {
          for (const name of [shop, blog, cafe]) await act.activate(keyNumber(n), name, issuedAt);
        }
      });

      it('returns the verdict of the decision unchanged', async () => {
        expect(await act.verify(keyNumber(1), shop, issuedAt + 7)).to.deep.equal({
          kind: 'valid',
          expiresAt: issuedAt + 5000,
          updatesUntil: null,
          entitlements: [],
          at: issuedAt + 7,
        });
        const odd = refuse('suspended', 'Said the double.');
        expect(await stores.licenses.verify(keyNumber(1), shop, () => odd)).to.deep.equal(odd);
      });

      it('tells the decision whether the license exists and whether the domain is activated', async () => {
        await stores.licenses.change(keyNumber(2), undefined, (license) => ({
          license: { ...license, standing: 'suspended' },
          event: event('license.suspended', keyNumber(2), by, issuedAt),
        }));
        const seen: unknown[] = [];
        const look = (key: LicenseKey, name: typeof shop) =>
          stores.licenses.verify(key, name, (license, activation) => {
            seen.push(
              license && { standing: license.standing, expiresAt: license.expiresAt },
              activation !== undefined,
            );
            return refuse('invalid_domain');
          });
        await look(keyNumber(404), shop);
        await look(keyNumber(3), shop);
        await look(keyNumber(1), blog);
        await look(keyNumber(2), blog);
        expect(seen).to.deep.equal([
          ...[undefined, false],
          ...[{ standing: 'active', expiresAt: null }, false],
          ...[{ standing: 'active', expiresAt: issuedAt + 5000 }, true],
          ...[{ standing: 'suspended', expiresAt: null }, true],
        ]);
      });

      it('counts a valid verdict only on its own domain, with its time', async () => {
        await act.verify(keyNumber(1), blog, issuedAt + 7);
        const { license, domains } = await record(keyNumber(1));
        const [newest, verified, oldest] = domains;
        expect(verified).to.deep.equal({
          ...lasting,
          domain: blog,
          activatedAt: issuedAt,
          verificationCount: 1,
          lastVerifiedAt: issuedAt + 7,
        });
        for (const other of [newest, oldest]) {
          expect(other).to.include({ verificationCount: 0, lastVerifiedAt: null });
        }
        expect(license.retired.verificationCount).to.equal(0);
        expect(await counts(keyNumber(2))).to.deep.equal({ [shop]: 0, [blog]: 0, [cafe]: 0 });
      });

      it('keeps the latest time, even if a verdict with an earlier time comes later', async () => {
        await act.verify(keyNumber(1), blog, issuedAt + 70);
        await act.verify(keyNumber(1), blog, issuedAt + 30);
        expect((await record(keyNumber(1))).domains[1]).to.include({
          verificationCount: 2,
          lastVerifiedAt: issuedAt + 70,
        });
      });

      it('counts only valid verdicts', async () => {
        const answers = await Promise.all([
          act.verify(keyNumber(404), shop, issuedAt + 1),
          act.verify(keyNumber(3), shop, issuedAt + 1),
          act.verify(keyNumber(1), shop, issuedAt + 5000),
          stores.licenses.verify(keyNumber(2), shop, () => refuse('revoked')),
        ]);
        expect(answers.map(outcome)).to.deep.equal(['invalid_key', 'invalid_domain', 'expired', 'revoked']);
        for (const n of [1, 2]) expect(await counts(keyNumber(n))).to.deep.equal({ [shop]: 0, [blog]: 0, [cafe]: 0 });
      });

      it('returns to each of many concurrent callers the correct verdict, and counts exactly the valid ones', async () => {
        await act.activate(keyNumber(3), cafe, issuedAt);
        const keys = [keyNumber(1), keyNumber(2), keyNumber(3), keyNumber(404)];
        const names = [shop, blog, cafe, domain('nowhere.example')];
        const questions = Array.from({ length: 1600 }, (_, n) => ({
          key: must(keys[n % 4]),
          name: must(names[(n * n + 3 * Math.floor(n / 5)) % 4]),
          at: issuedAt + n,
        }));
        const sent: Record<string, { verificationCount: number; lastVerifiedAt: number }> = {};
        const answers = await Promise.all(questions.map(({ key, name, at }) => act.verify(key, name, at)));
        for (const [index, { key, name, at }] of questions.entries()) {
          const holds = key === keyNumber(3) ? name === cafe : name !== names[3];
          const expected = key === keyNumber(404) ? 'invalid_key' : holds ? 'ok' : 'invalid_domain';
          const answer = must(answers[index]);
          expect(outcome(answer)).to.equal(expected);
          if (answer.kind !== 'valid') continue;
          expect(answer.at).to.equal(at);
          expect(answer.expiresAt).to.equal(key === keyNumber(1) ? issuedAt + 5000 : null);
          const verificationCount = (sent[`${key} ${name}`]?.verificationCount ?? 0) + 1;
          sent[`${key} ${name}`] = { verificationCount, lastVerifiedAt: at };
        }
        const found: typeof sent = {};
        for (const key of keys.slice(0, 3)) {
          for (const { domain: name, verificationCount, lastVerifiedAt } of (await record(key)).domains) {
            found[`${key} ${name}`] = { verificationCount, lastVerifiedAt: must(lastVerifiedAt ?? undefined) };
          }
        }
        expect(found).to.deep.equal(sent);
        expect(Object.keys(found)).to.have.lengthOf(7);
      });

      it('shows the count to every read after the verification has returned', async () => {
        for (let sent = 1; sent <= 5; sent++) {
          await act.verify(keyNumber(1), shop, issuedAt + sent);
          expect((await counts(keyNumber(1)))[shop]).to.equal(sent);
        }
      });

      it('returns updates and entitlements as they are at that moment, however often it was asked before', async () => {
        const rights = { updatesUntil: issuedAt + 9_000, entitlements: ['pro', 'team "é"'] };
        await act.issue(newLicense(keyNumber(4), productId, rights));
        await act.activate(keyNumber(4), shop, issuedAt);
        expect((await record(keyNumber(4))).license).to.deep.include(rights);
        const said = async (key: LicenseKey) => {
          const verdict = await act.verify(key, shop, issuedAt + 1);
          return verdict.kind === 'valid' ? [verdict.updatesUntil, verdict.entitlements] : verdict;
        };
        const set = (key: LicenseKey, to: Partial<License>) =>
          stores.licenses.change(key, undefined, (license) => ({
            license: { ...license, ...to },
            event: event('license.changed', key, by, issuedAt + 1),
          }));
        for (let times = 0; times < 3; times++) {
          expect(await said(keyNumber(4))).to.deep.equal([rights.updatesUntil, rights.entitlements]);
          expect(await said(keyNumber(1))).to.deep.equal([null, []]);
        }
        await set(keyNumber(4), { updatesUntil: null });
        expect(await said(keyNumber(4))).to.deep.equal([null, rights.entitlements]);
        await set(keyNumber(4), { entitlements: [] });
        expect(await said(keyNumber(4))).to.deep.equal([null, []]);
        await set(keyNumber(1), { updatesUntil: issuedAt + 7, entitlements: ['basic'] });
        expect(await said(keyNumber(1))).to.deep.equal([issuedAt + 7, ['basic']]);
      });

      it('counts nothing if the decision refuses for want of an entitlement, also between valid ones', async () => {
        const ask = (wanted: string) =>
          stores.licenses.verify(keyNumber(1), shop, (license, activation) =>
            judge(license, activation, wanted, issuedAt + 1),
          );
        await stores.licenses.change(keyNumber(1), undefined, (license) => ({
          license: { ...license, entitlements: ['pro'] },
          event: event('license.changed', keyNumber(1), by, issuedAt + 1),
        }));
        const said = [];
        for (const wanted of ['pro', 'team', 'pro', 'team']) said.push(outcome(await ask(wanted)));
        expect(said).to.deep.equal(['ok', 'not_entitled', 'ok', 'not_entitled']);
        expect((await counts(keyNumber(1)))[shop]).to.equal(2);
      });

      it('sees every deactivation, activation and suspension that returned before the verification started', async () => {
        const said = async (name = shop) => outcome(await act.verify(keyNumber(1), name, issuedAt + 1));
        expect(await said()).to.equal('ok');
        await act.deactivate(keyNumber(1), shop, issuedAt + 1);
        expect(await said()).to.equal('invalid_domain');
        await act.activate(keyNumber(1), shop, issuedAt + 1);
        expect(await said()).to.equal('ok');
        await stores.licenses.change(keyNumber(1), undefined, (license) => ({
          license: { ...license, standing: 'suspended' },
          event: event('license.suspended', keyNumber(1), by, issuedAt + 1),
        }));
        expect(await said()).to.equal('suspended');
        expect(await said(blog)).to.equal('suspended');
      });

      it('counts every valid verdict exactly once during concurrent activations and deactivations', async () => {
        const step = fc.tuple(fc.constantFrom('verify', 'verify', 'deactivate', 'activate'), fc.nat(2));
        let number = 2000;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
            const key = keyNumber(number++);
            await issue(key);
            const names = [shop, blog, cafe];
            for (const name of names) await act.activate(key, name, issuedAt);
            const answers = await Promise.all(
              steps.map(([verb, pick], n) => act[verb as 'verify'](key, must(names[pick]), issuedAt + n)),
            );
            const valid = answers.filter((answer) => answer.kind === 'valid');
            const { license, domains } = await record(key);
            const all = [license.retired, ...domains];
            expect(all.reduce((sum, one) => sum + one.verificationCount, 0)).to.equal(valid.length);
            expect(Math.max(...all.map((one) => one.lastVerifiedAt ?? 0))).to.equal(
              Math.max(0, ...valid.map(({ at }) => at)),
            );
          }),
          { numRuns: runs(20) },
        );
      });
    });
  });
}
