import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import { type ForeignKind, parseAlias } from '../../core/licensing/alias.ts';
import { type DomainName, normalizeDomain } from '../../core/licensing/domain-name.ts';
import type { HostKind } from '../../core/licensing/hosts.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { ImportLine, LicenseImport } from '../../core/ports/license-imports.ts';
import type { LastingDomain } from '../../core/ports/license-search.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, addProduct, issuedAt, keyNumber, must, newLicense } from '../support/license-acts.ts';

const domain = (text: string): DomainName => {
  const name = normalizeDomain(text);
  if (name === undefined) throw new Error(text);
  return name;
};

for (const backend of backends) {
  describe(`imports of licenses: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let productId: ProductId;
    beforeEach(async () => {
      productId = await addProduct(stores.products);
    });

    const begin = async (origin: 'issued' | 'imported' = 'imported'): Promise<LicenseImport> => {
      const begun = await stores.imports.begin(origin, by, issuedAt);
      if (isRefused(begun)) throw new Error(begun.detail);
      return begun;
    };
    const lineOf = (line: number, key: LicenseKey, terms: Partial<ImportLine['terms']> = {}): ImportLine => ({
      line,
      key,
      terms: { productId, standing: 'active', maxDomains: 1, expiresAt: null, ...terms },
    });
    const keys = async () => (await stores.licenses.list({ limit: 10_000 })).map(({ key }) => key);

    it('adds every license with the terms of its line and its event, in the order of the lines', async () => {
      const { stage, finish } = await begin();
      expect(await stage([lineOf(2, keyNumber(9), { standing: 'suspended', maxDomains: 7 })])).to.deep.equal([]);
      expect(
        await stage([
          lineOf(5, keyNumber(1), { expiresAt: issuedAt + 5 }),
          lineOf(6, keyNumber(5), { daysFromActivation: 9 }),
        ]),
      ).to.deep.equal([]);
      expect(await keys()).to.deep.equal([]);
      expect(await finish()).to.deep.equal({ added: 3, leftOut: [], passedOver: 0 });
      const licenses = await stores.licenses.list({ limit: 9 });
      const fresh = {
        domainsUsed: 0,
        freeDomains: 0,
        daysFromActivation: null,
        updatesUntil: null,
        entitlements: [],
        moves: { month: null, made: 0 },
        ownStanding: null,
        retired: { verificationCount: 0, lastVerifiedAt: null },
        createdAt: issuedAt,
        productId,
        ownerId: null,
        isLive: false,
      };
      expect(licenses).to.deep.equal([
        { ...fresh, key: keyNumber(9), standing: 'suspended', maxDomains: 7, expiresAt: null },
        { ...fresh, key: keyNumber(1), standing: 'active', maxDomains: 1, expiresAt: issuedAt + 5 },
        { ...fresh, key: keyNumber(5), standing: 'active', maxDomains: 1, expiresAt: null, daysFromActivation: 9 },
      ]);
      const [event, ...others] = await stores.audit.list({ subject: keyNumber(9), limit: 9 });
      expect(others).to.deep.equal([]);
      expect(event).to.deep.equal({
        ...{ type: 'license.imported', at: issuedAt, actor: by.actor, reason: by.reason, subject: keyNumber(9) },
        data: { standing: 'suspended' },
      });
    });

    it('adds notes and hosts of each line, so that searches find them and the hosts are activated', async () => {
      const { stage, finish } = await begin();
      const notes = {
        holder: { email: 'grace@example.com', name: 'Grace' },
        reference: 'Order 1',
        metadata: { plan: 'gold' },
      };
      const host = (text: string, kind: HostKind, activatedAt: number) => ({ domain: domain(text), kind, activatedAt });
      const hosts = [
        host('z.example.com', 'slot', 7),
        host('x.localhost', 'local', 5),
        host('a.example.com', 'slot', 9),
      ];
      await stage([
        lineOf(2, keyNumber(1), { maxDomains: 3, notes, hosts }),
        lineOf(3, keyNumber(2), { hosts: [host('z.example.com', 'slot', 8)] }),
        lineOf(4, keyNumber(3), { daysFromActivation: 30 }),
      ]);
      expect(await finish()).to.deep.equal({ added: 3, leftOut: [], passedOver: 0 });
      const found = await stores.licenses.find(keyNumber(1));
      expect(found?.license).to.include({ domainsUsed: 2, freeDomains: 1, daysFromActivation: null });
      expect(found?.domains.map((one) => [one.domain, one.kind, one.activatedAt])).to.deep.equal([
        ['a.example.com', 'slot', 9],
        ['x.localhost', 'local', 5],
        ['z.example.com', 'slot', 7],
      ]);
      expect((await stores.licenses.find(keyNumber(3)))?.license).to.include({
        daysFromActivation: 30,
        domainsUsed: 0,
      });
      expect(await stores.search.notesOf(keyNumber(1))).to.deep.equal(notes);
      const reach = { isLive: false, ownerId: undefined };
      const keysBy = async (text: string) =>
        (await stores.search.find({ reach, limit: 9 }, text, issuedAt)).licenses.map(({ license }) => license.key);
      for (const text of ['grace', 'grace@', 'order', 'x.local'])
        expect(await keysBy(text)).to.deep.equal([keyNumber(1)]);
      expect((await keysBy('z.example')).toSorted()).to.deep.equal([keyNumber(1), keyNumber(2)]);
      const [event] = await stores.audit.list({ subject: keyNumber(1), limit: 1 });
      expect(event?.data).to.deep.equal({ standing: 'active', domains: 3 });
      await actOn(stores.licenses).activate(keyNumber(1), domain('new.example.com'), issuedAt);
      expect((await stores.licenses.find(keyNumber(1)))?.domains[0]?.domain).to.equal('new.example.com');
      expect([...(await stores.lists.metadataOf([keyNumber(1), keyNumber(2)]))]).to.deep.equal([
        [keyNumber(1), notes.metadata],
      ]);
    });

    it('adds a license with thousands of hosts, which are read some at a time, and forgets them if it is undone', async () => {
      const hosts = Array.from({ length: 12_000 }, (_, n) => {
        return { domain: domain(`h${n}.example.com`), kind: 'slot', activatedAt: n } as const;
      });
      const lines = [
        lineOf(1, keyNumber(1), { hosts: hosts.slice(0, 1) }),
        lineOf(2, keyNumber(2), { maxDomains: 12_000, hosts }),
        lineOf(3, keyNumber(3), { hosts: hosts.slice(0, 1) }),
      ];
      const first = await begin();
      await first.stage(lines);
      await first.undo();
      const { stage, finish } = await begin();
      expect(await stage(lines)).to.deep.equal([]);
      expect(await finish()).to.deep.equal({ added: 3, leftOut: [], passedOver: 0 });
      const read: LastingDomain[] = [];
      let pieces = 0;
      for await (const some of stores.lists.domainsOf([keyNumber(1), keyNumber(2), keyNumber(3)])) {
        read.push(...some);
        pieces++;
      }
      expect(pieces).to.be.above(2);
      expect(read).to.have.lengthOf(12_002);
      const ofSecond = read
        .filter(({ key }) => key === keyNumber(2))
        .toSorted((one, other) => one.ordinal - other.ordinal);
      expect(ofSecond.map((one) => one.domain)).to.deep.equal(hosts.map((one) => one.domain));
      expect(read.map(({ key }) => key)).to.deep.equal(read.map(({ key }) => key).toSorted());
    });

    it('saves license.issued for licenses that were issued here', async () => {
      const { stage, finish } = await begin('issued');
      await stage([lineOf(1, keyNumber(1), { maxDomains: 4 })]);
      await finish();
      const [event] = await stores.audit.list({ subject: keyNumber(1), limit: 1 });
      expect(event).to.deep.include({ type: 'license.issued', data: { max_domains: 4, expires_at: null } });
    });

    it('returns every line whose key is taken, also across several calls and for lines with faults', async () => {
      await actOn(stores.licenses).issue(newLicense(keyNumber(3), productId));
      const { stage, undo } = await begin();
      expect(
        await stage([lineOf(2, keyNumber(1)), { line: 3, key: keyNumber(2) }, lineOf(4, keyNumber(1))]),
      ).to.deep.equal([{ line: 4, key: keyNumber(1), of: 'key', first: 2 }]);
      const clashes = await stage([
        lineOf(5, keyNumber(3)),
        lineOf(6, keyNumber(2)),
        lineOf(7, keyNumber(1)),
        lineOf(8, keyNumber(4)),
      ]);
      expect(clashes).to.deep.equal([
        { line: 5, key: keyNumber(3), of: 'key', productId },
        { line: 6, key: keyNumber(2), of: 'key', first: 3 },
        { line: 7, key: keyNumber(1), of: 'key', first: 2 },
      ]);
      await undo();
      expect(await keys()).to.deep.equal([keyNumber(3)]);
    });

    describe('keys of other systems', () => {
      const withAlias = (line: number, text: string, kind: ForeignKind = 'other') => {
        return lineOf(line, keyNumber(line), { alias: { text: must(parseAlias(text)), kind } });
      };
      const addTo = (key: LicenseKey, text: string) =>
        stores.aliases.change(key, (license) => {
          const one = { kind: 'other', validUntil: null, addedAt: issuedAt, isByHolder: false } as const;
          const added = event('license.alias_added', key, by, issuedAt);
          return { add: [{ ...one, text: must(parseAlias(text)) }], license, event: added };
        });

      it('lead to their licenses as soon as the import is finished, written as their kind asks for', async () => {
        const { stage, finish } = await begin();
        expect(await stage([withAlias(1, 'ABCD-ef12', 'gumroad'), withAlias(2, 'Sk_Abcdefgh')])).to.deep.equal([]);
        expect(await stores.aliases.find('abcd-ef12')).to.equal(undefined);
        expect(await finish()).to.deep.equal({ added: 2, leftOut: [], passedOver: 0 });
        const found = { license: keyNumber(1), kind: 'gumroad', validUntil: null };
        expect(await stores.aliases.find(' abcd-EF12 ')).to.deep.equal(found);
        expect(await stores.aliases.find('Sk_Abcdefgh')).to.include({ license: keyNumber(2), kind: 'other' });
        expect(await stores.aliases.find('sk_abcdefgh')).to.equal(undefined);
        const [alias] = await stores.aliases.of(keyNumber(1));
        expect(alias).to.include({ hint: '…', addedAt: issuedAt, formerKey: null, isByHolder: false });
      });

      it('are returned if they are taken, by a license or by another line, whatever their case', async () => {
        await actOn(stores.licenses).issue(newLicense(keyNumber(90), productId));
        await addTo(keyNumber(90), 'taken-text');
        const { stage, undo } = await begin();
        const clash = (line: number) => ({ line, key: keyNumber(line), of: 'alias' });
        expect(await stage([withAlias(1, 'first-text'), withAlias(2, 'FIRST-text')])).to.deep.equal([
          { ...clash(2), first: 1 },
        ]);
        expect(
          await stage([withAlias(3, 'Taken-Text'), withAlias(4, 'first-text'), withAlias(5, 'new-text')]),
        ).to.deep.equal([
          { ...clash(3), productId },
          { ...clash(4), first: 1 },
        ]);
        await undo();
        expect(await stores.aliases.find('new-text')).to.equal(undefined);
      });

      it('cannot be added to another license while they are staged', async () => {
        await actOn(stores.licenses).issue(newLicense(keyNumber(90), productId));
        const { stage, undo } = await begin();
        await stage([withAlias(1, 'first-text')]);
        expect(await addTo(keyNumber(90), 'First-Text')).to.include({ reason: 'alias_taken' });
        await undo();
        expect(isRefused(await addTo(keyNumber(90), 'First-Text'))).to.equal(false);
      });
    });

    it('names the product of the license whose former key it is', async () => {
      const [former, key] = [keyNumber(7), keyNumber(8)];
      await actOn(stores.licenses).issue(newLicense(former, productId));
      const alias = { text: must(parseAlias(former)), kind: 'former', validUntil: null } as const;
      await stores.aliases.change(former, (license) => {
        const add = [{ ...alias, addedAt: issuedAt, isByHolder: false }];
        return { newKey: key, add, license: { ...license, key }, event: event('license.rotated', key, by, issuedAt) };
      });
      const { stage, undo } = await begin();
      expect(await stage([lineOf(2, former)])).to.deep.equal([{ line: 2, key: former, of: 'key', productId }]);
      await undo();
    });

    it('saves an event when it is undone', async () => {
      const checked = event('user.licenses_checked', 'ada@example.com', by, issuedAt, { licenses: 1 });
      const { stage, undo } = await begin();
      await stage([lineOf(2, keyNumber(1))]);
      await undo(checked);
      expect(await keys()).to.deep.equal([]);
      const found = await stores.audit.list({ subject: 'ada@example.com', limit: 9 });
      expect(found.map(({ type, data }) => ({ type, data }))).to.deep.equal([
        { type: 'user.licenses_checked', data: { licenses: 1 } },
      ]);
    });

    it('refuses a staged key for other licenses until the import is undone', async () => {
      const { stage, undo } = await begin();
      await stage([lineOf(1, keyNumber(1))]);
      const issue = () => actOn(stores.licenses).issue(newLicense(keyNumber(1), productId));
      expect(await issue()).to.include({ reason: 'key_taken' });
      await undo();
      expect(await issue()).to.equal(undefined);
    });

    it('allows one import at a time, and recovery does not touch a running import', async () => {
      const first = await begin();
      await first.stage([lineOf(1, keyNumber(1))]);
      expect(await stores.imports.recover(() => true)).to.deep.equal({ undone: 0, finished: 0, leftOut: [] });
      expect(await stores.imports.begin('imported', by, issuedAt)).to.include({ reason: 'import_running' });
      expect(await first.finish()).to.deep.equal({ added: 1, leftOut: [], passedOver: 0 });
      await (await begin()).undo();
      expect(await keys()).to.deep.equal([keyNumber(1)]);
    });

    it('checks lines while an import runs, and changes nothing but the log', async () => {
      const alias = (text: string) => ({ alias: { text: must(parseAlias(text)), kind: 'edd' as const } });
      await actOn(stores.licenses).issue(newLicense(keyNumber(1), productId));
      const running = await begin();
      await running.stage([lineOf(1, keyNumber(2), alias('taken-elsewhere'))]);
      const { compare, end } = stores.imports.check();
      expect(await compare([])).to.deep.equal([]);
      const new_ = { hasNewKey: true };
      const lines = [
        lineOf(2, keyNumber(1)),
        lineOf(3, keyNumber(2)),
        { ...lineOf(4, keyNumber(3), alias('one-key-there')), ...new_ },
      ];
      expect(await compare(lines)).to.deep.equal([{ line: 2, key: keyNumber(1), of: 'key', productId }]);
      const later = [lineOf(5, keyNumber(2)), { ...lineOf(6, keyNumber(4), alias('ONE-key-there')), ...new_ }];
      expect(await compare(later)).to.deep.equal([
        { line: 5, key: keyNumber(2), of: 'key', first: 3 },
        { line: 6, key: keyNumber(4), of: 'alias', first: 4 },
      ]);
      await end(event('user.licenses_checked', 'ada@example.com', by, issuedAt, { licenses: 1 }));
      expect(await stores.audit.list({ subject: 'ada@example.com', limit: 9 })).to.have.lengthOf(1);
      expect(await running.finish(7)).to.deep.equal({ added: 1, leftOut: [], passedOver: 7 });
      expect(await keys()).to.deep.equal([keyNumber(1), keyNumber(2)]);
      expect(await stores.imports.check().compare([lineOf(1, keyNumber(9), alias('Taken-elsewhere'))])).to.deep.equal([
        { line: 1, key: keyNumber(9), of: 'alias', productId },
      ]);
    });

    it('does not undo a finished import', async () => {
      const first = await begin();
      await first.stage([lineOf(1, keyNumber(1))]);
      await first.finish();
      const second = await begin();
      await second.stage([lineOf(1, keyNumber(2))]);
      await first.undo();
      expect(await second.finish()).to.deep.equal({ added: 1, leftOut: [], passedOver: 0 });
      expect(await keys()).to.deep.equal([keyNumber(1), keyNumber(2)]);
    });

    it('adds thousands of licenses', async () => {
      const { stage, finish } = await begin();
      const lines = Array.from({ length: 3_000 }, (_, index) => lineOf(index + 1, keyNumber(9_999 - index)));
      expect(await stage(lines)).to.deep.equal([]);
      expect(await finish()).to.deep.equal({ added: 3_000, leftOut: [], passedOver: 0 });
      expect(await keys()).to.deep.equal(lines.map(({ key }) => key));
    });
  });
}
