import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import { type AliasKind, type NewAlias, parseAlias } from '../../core/licensing/alias.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { KeyChange } from '../../core/ports/license-aliases.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, must, newLicense, outcome } from '../support/license-acts.ts';

const shop = domain('shop.example');
const uuid = '38b1460a-5104-4067-a91d-77b872934d51';

for (const backend of backends) {
  describe(`license aliases: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let productId: ProductId;
    let act: ReturnType<typeof actOn>;

    beforeEach(async () => {
      productId = await addProduct(stores.products);
      act = actOn(stores.licenses);
      await act.issue(newLicense(keyNumber(1), productId), newLicense(keyNumber(2), productId));
    });

    const alias = (text: string, kind: AliasKind, validUntil: number | null = null): NewAlias => {
      return { text: must(parseAlias(text)), kind, validUntil, addedAt: issuedAt + 5, isByHolder: false };
    };
    const change = (key: LicenseKey, changed: Omit<KeyChange, 'license' | 'event'>, type: 'alias_added' | 'rotated') =>
      stores.aliases.change(key, (license) => ({
        ...changed,
        license: { ...license, key: changed.newKey ?? key },
        event: event(`license.${type}`, changed.newKey ?? key, by, issuedAt + 5),
      }));
    const add = (key: LicenseKey, ...added: NewAlias[]) => change(key, { add: added }, 'alias_added');
    const rotate = (from: LicenseKey, to: LicenseKey, validUntil: number | null) =>
      change(from, { newKey: to, add: [alias(from, 'former', validUntil)] }, 'rotated');

    describe('find', () => {
      it('finds the license to which a text leads, with kind and end', async () => {
        await add(keyNumber(2), alias(uuid, 'lemonsqueezy', issuedAt + 9));
        expect(await stores.aliases.find(uuid)).to.deep.equal({
          license: keyNumber(2),
          kind: 'lemonsqueezy',
          validUntil: issuedAt + 9,
        });
      });

      it('forgives case and blanks only as the kind does', async () => {
        await add(keyNumber(1), alias(uuid, 'lemonsqueezy'), alias('Sk_Abcdefgh 12', 'freemius'));
        expect(await stores.aliases.find(` ${uuid.toUpperCase().replaceAll('-', ' -')}\n`)).to.not.equal(undefined);
        expect(await stores.aliases.find(' Sk_Abcdefgh 12 ')).to.not.equal(undefined);
        expect(await stores.aliases.find('sk_abcdefgh 12')).to.equal(undefined);
        expect(await stores.aliases.find('Sk_Abcdefgh12')).to.equal(undefined);
      });

      it('finds nothing for other texts, also for those that can be no alias', async () => {
        await add(keyNumber(1), alias(uuid, 'lemonsqueezy'));
        for (const text of ['', 'short', 'x'.repeat(500), `${uuid}\0`, uuid.slice(1), keyNumber(1)])
          expect(await stores.aliases.find(text), text).to.equal(undefined);
      });
    });

    describe('change', () => {
      it('lists all aliases with what is known of them, in the order in which they were added', async () => {
        await add(keyNumber(1), alias(uuid, 'lemonsqueezy', issuedAt + 9), alias('another key', 'other'));
        await add(keyNumber(2), alias('of the other license', 'other'));
        const [first, second, ...more] = await stores.aliases.of(keyNumber(1));
        expect(more).to.deep.equal([]);
        expect({ ...must(first), id: 0 }).to.deep.equal({
          id: 0,
          kind: 'lemonsqueezy',
          hint: '38b1…51',
          formerKey: null,
          validUntil: issuedAt + 9,
          addedAt: issuedAt + 5,
          isByHolder: false,
        });
        expect(must(second).kind).to.equal('other');
        expect(await stores.aliases.of(keyNumber(3))).to.deep.equal([]);
      });

      it('passes the license, its aliases and its notes to the decision', async () => {
        await add(keyNumber(1), alias(uuid, 'lemonsqueezy'));
        const seen: unknown[] = [];
        await stores.aliases.change(keyNumber(1), (license, { aliases, notes, product }) => {
          seen.push(license.key, aliases.length, notes.holder, product.title);
          return { license };
        });
        expect(seen).to.deep.equal([keyNumber(1), 1, null, 'Tip Jar']);
      });

      it('refuses a text that leads to a license already, whatever its kind and case, and writes nothing then', async () => {
        await add(keyNumber(1), alias('Some-Key-1', 'other'));
        for (const [key, text, kind] of [
          [keyNumber(1), 'Some-Key-1', 'other'],
          [keyNumber(2), 'some-key-1', 'keygen'],
          [keyNumber(2), 'SOME -KEY-1', 'gumroad'],
        ] as const) {
          expect(outcome(await add(key, alias('fresh text', 'other'), alias(text, kind)))).to.equal('alias_taken');
        }
        expect(await stores.aliases.of(keyNumber(2))).to.deep.equal([]);
        expect(await stores.audit.list({ subject: keyNumber(2), type: 'license.alias_added', limit: 9 })).to.deep.equal(
          [],
        );
      });

      it('refuses an unknown license, and what the decision refuses', async () => {
        expect(outcome(await add(keyNumber(9), alias(uuid, 'other')))).to.equal('invalid_key');
        const refused = await stores.aliases.change(keyNumber(1), () => refuse('not_today'));
        expect(outcome(refused)).to.equal('not_today');
      });

      it('ends and removes aliases of this license only', async () => {
        await add(keyNumber(1), alias(uuid, 'lemonsqueezy'), alias('another key', 'other'));
        const [first, second] = (await stores.aliases.of(keyNumber(1))).map(({ id }) => id);
        const acts = { end: { id: must(first), at: issuedAt + 7 }, remove: must(second) };
        await change(keyNumber(2), acts, 'alias_added');
        expect((await stores.aliases.find(uuid))?.validUntil).to.equal(null);
        expect(await stores.aliases.find('another key')).to.not.equal(undefined);
        await change(keyNumber(1), acts, 'alias_added');
        expect((await stores.aliases.find(uuid))?.validUntil).to.equal(issuedAt + 7);
        expect(await stores.aliases.find('another key')).to.equal(undefined);
      });

      it('lets only one of several licenses have the same text, if they ask at the same time', async () => {
        const results = await Promise.all([
          add(keyNumber(1), alias('the same text', 'other')),
          add(keyNumber(2), alias('THE SAME TEXT', 'edd')),
        ]);
        expect(results.map((one) => outcome(one)).toSorted()).to.deep.equal(['alias_taken', 'ok']);
      });
    });

    describe('a new key', () => {
      it('replaces the former one with all domains, counts and notes', async () => {
        await act.activate(keyNumber(1), shop, issuedAt + 1);
        await act.verify(keyNumber(1), shop, issuedAt + 2);
        const before = must(await stores.licenses.find(keyNumber(1)));
        await rotate(keyNumber(1), keyNumber(7), issuedAt + 9);
        expect(await stores.licenses.find(keyNumber(1))).to.equal(undefined);
        expect(await stores.licenses.find(keyNumber(7))).to.deep.equal({
          ...before,
          license: { ...before.license, key: keyNumber(7) },
        });
        expect(await stores.aliases.find(keyNumber(1))).to.deep.equal({
          license: keyNumber(7),
          kind: 'former',
          validUntil: issuedAt + 9,
        });
        expect((await stores.aliases.of(keyNumber(7))).map(({ formerKey }) => formerKey)).to.deep.equal([keyNumber(1)]);
      });

      it('ends verifications with the former key at once, also of what was remembered, and keeps their counts', async () => {
        await act.activate(keyNumber(1), shop, issuedAt + 1);
        for (let n = 0; n < 3; n++) await act.verify(keyNumber(1), shop, issuedAt + 2);
        await rotate(keyNumber(1), keyNumber(7), issuedAt + 9);
        expect(outcome(await act.verify(keyNumber(1), shop, issuedAt + 3))).to.equal('invalid_key');
        expect(outcome(await act.verify(keyNumber(7), shop, issuedAt + 4))).to.equal('ok');
        const { verifications } = must(await stores.licenses.find(keyNumber(7)));
        expect(verifications).to.deep.equal({ verificationCount: 4, lastVerifiedAt: issuedAt + 4 });
      });

      it('is refused if a license has it, or had it', async () => {
        await rotate(keyNumber(1), keyNumber(7), issuedAt + 9);
        for (const taken of [keyNumber(2), keyNumber(1)])
          expect(outcome(await rotate(keyNumber(7), taken, null)), taken).to.equal('key_taken');
        expect(outcome(await act.issue(newLicense(keyNumber(1), productId)))).to.equal('key_taken');
      });

      it('of a license leads all its aliases on', async () => {
        await add(keyNumber(1), alias(uuid, 'lemonsqueezy'));
        await rotate(keyNumber(1), keyNumber(7), issuedAt + 9);
        await rotate(keyNumber(7), keyNumber(8), issuedAt + 9);
        for (const text of [uuid, keyNumber(1), keyNumber(7)])
          expect((await stores.aliases.find(text))?.license, text).to.equal(keyNumber(8));
      });

      it('is found by a search, and the former one is not', async () => {
        await rotate(keyNumber(1), keyNumber(7), issuedAt + 9);
        const query = { reach: { isLive: false, ownerId: undefined }, productId: undefined, limit: 9 } as const;
        const found = async (key: LicenseKey) =>
          (await stores.search.find(query, key.toLowerCase(), issuedAt)).licenses.map(({ license }) => license.key);
        expect(await found(keyNumber(1))).to.deep.equal([]);
        expect(await found(keyNumber(7))).to.deep.equal([keyNumber(7)]);
      });

      it('is made once, if several ask at the same time with the same former key', async () => {
        const results = await Promise.all(
          [11, 12, 13].map((n) => rotate(keyNumber(1), keyNumber(n), issuedAt + 9).catch(() => refuse('failed'))),
        );
        expect(results.filter((one) => !isRefused(one)).length).to.equal(1);
        expect(results.map((one) => outcome(one)).toSorted()).to.deep.equal(['invalid_key', 'invalid_key', 'ok']);
      });

      it('and activations at the same time leave the license as after one of the two orders', async () => {
        for (let n = 1; n <= 20; n++) {
          const [from, to] = [keyNumber(100 + n), keyNumber(200 + n)];
          await act.issue(newLicense(from, productId));
          const [activated, rotated] = await Promise.all([
            act.activate(from, shop, issuedAt + 1),
            rotate(from, to, issuedAt + 9),
          ]);
          expect(outcome(rotated)).to.equal('ok');
          const { license, domains } = must(await stores.licenses.find(to));
          const wasFirst = outcome(activated) !== 'invalid_key';
          expect([license.domainsUsed, domains.length]).to.deep.equal(wasFirst ? [1, 1] : [0, 0]);
        }
      });
    });
  });
}
