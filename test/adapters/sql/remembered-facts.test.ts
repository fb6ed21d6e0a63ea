import { expect } from 'chai';
import { createRememberedFacts } from '../../../adapters/sql/remembered-facts.ts';
import type { Facts } from '../../../adapters/sql/verifier.ts';
import type { DomainName } from '../../../core/licensing/domain-name.ts';
import { type LicenseKey, parseLicenseKey } from '../../../core/licensing/license-key.ts';
import { mintBindings } from '../../bench/seed.ts';
import { itLong } from '../../support/required-service.ts';

const facts = (id: number, more: Partial<Facts> = {}): Facts => ({
  id,
  standing: 'active',
  expires_at: null,
  updates_until: null,
  entitlements: null,
  ordinal: 1,
  license_version: 0,
  ...more,
});

function keyOf(text: string): LicenseKey {
  const key = parseLicenseKey(text);
  if (key === undefined) throw new Error(text);
  return key;
}

const domain = 'example.com' as DomainName;

describe('the memory of facts', () => {
  it('returns what was stored last, with every kind of value', () => {
    const memory = createRememberedFacts(10);
    const key = keyOf('LIC-ABCD-0123-WXYZ-9999');
    memory.set(key, domain, facts(7));
    const last = facts(2 ** 31 - 1, { standing: 'other', expires_at: 8.64e15, ordinal: 12, license_version: 34 });
    memory.set(key, domain, last);
    expect(memory.get(key, domain)).to.deep.equal(last);
    memory.delete(key, domain);
    expect(memory.get(key, domain)).to.equal(undefined);
  });

  it('keeps until when a license gets updates, and its entitlements, also for others that have neither', () => {
    const memory = createRememberedFacts(10);
    const keys = ['0000', '0001', '0002', '0003'].map((end) => keyOf(`LIC-ABCD-0123-WXYZ-${end}`));
    const all = [
      facts(1),
      facts(2, { updates_until: 8.64e15, entitlements: '["pro"]' }),
      facts(3, { updates_until: -1, entitlements: '["a","b"]' }),
      facts(4, { entitlements: '["pro"]' }),
    ];
    keys.forEach((key, index) => {
      memory.set(key, domain, all[index] ?? facts(0));
    });
    expect(keys.map((key) => memory.get(key, domain))).to.deep.equal(all);
    const [, second] = keys;
    if (second) memory.set(second, domain, facts(2));
    expect(second && memory.get(second, domain)).to.deep.equal(facts(2));
  });

  itLong(
    'forgets what it cannot keep: an end of updates at 0, and the entitlements of too many different sets, but not for good',
    () => {
      const memory = createRememberedFacts(30_000);
      const named = mintBindings(12_000, 1).map(({ key }) => keyOf(key));
      named.forEach((key, index) => {
        memory.set(key, domain, facts(index + 1, { entitlements: `["set-${index}"]` }));
      });
      const known = named.flatMap((key, index) => {
        const found = memory.get(key, domain);
        if (found) expect(found.entitlements).to.equal(`["set-${index}"]`);
        return found ? [index] : [];
      });
      expect(known, 'the newest ones').to.deep.equal(Array.from({ length: 2_000 }, (_, n) => 10_000 + n));
      const [none = keyOf('LIC-0000-0000-0000-0000'), first = none] = named;
      memory.set(none, domain, facts(1, { entitlements: null }));
      memory.set(first, domain, facts(2, { entitlements: '["set-1"]' }));
      expect(memory.get(none, domain)?.entitlements).to.equal(null);
      expect(memory.get(first, domain)?.entitlements).to.equal('["set-1"]');
      expect(memory.get(named[10_500] ?? none, domain)?.entitlements).to.equal('["set-10500"]');
      const key = keyOf('LIC-ABCD-0123-WXYZ-9999');
      memory.set(key, domain, facts(7, { updates_until: 0 }));
      expect(memory.get(key, domain)).to.equal(undefined);
    },
  );

  it('does not store the facts of a domain that is not activated', () => {
    const memory = createRememberedFacts(10);
    const key = keyOf('LIC-ABCD-0123-WXYZ-9999');
    memory.set(key, domain, facts(7, { ordinal: null, license_version: null }));
    expect(memory.get(key, domain)).to.equal(undefined);
  });

  it('never returns the facts of another key, however similar', () => {
    const memory = createRememberedFacts(1_000);
    const texts = Array.from({ length: 16 }, (_, place) =>
      Array.from({ length: 16 }, (_, index) => (index === place ? '1' : '0'))
        .join('')
        .replace(/(.{4})(?=.)/g, '$1-'),
    );
    const keys = ['0000-0000-0000-0000', 'ZZZZ-ZZZZ-ZZZZ-ZZZZ', ...texts].map((text) => keyOf(`LIC-${text}`));
    keys.forEach((key, index) => {
      expect(memory.get(key, domain), key).to.equal(undefined);
      memory.set(key, domain, facts(index + 1));
    });
    for (const [index, key] of keys.entries()) expect(memory.get(key, domain), key).to.deep.equal(facts(index + 1));
  });

  itLong('remembers nearly all of as many domains as promised, and forgets some if there are more', () => {
    const size = 4_000;
    const memory = createRememberedFacts(size);
    const named = mintBindings(4 * size, 1).map((one) => ({ key: keyOf(one.key), domain: one.domain as DomainName }));
    const store = (count: number) => {
      for (const [index, one] of named.slice(0, count).entries()) memory.set(one.key, one.domain, facts(index + 1));
    };
    const found = () =>
      named.filter((one, index) => {
        const known = memory.get(one.key, one.domain);
        if (known !== undefined) expect(known.id, one.key).to.equal(index + 1);
        return known !== undefined;
      }).length;
    store(size);
    expect(found()).to.be.above(0.95 * size);
    store(4 * size);
    expect(found()).to.be.within(size, 1.4 * size + 8);
  });
});
