import { expect } from 'chai';
import fc from 'fast-check';
import { roles } from '../../core/accounts/role.ts';
import { tierNames } from '../../core/accounts/tier.ts';
import { searchable, type User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import type { UserFilter } from '../../core/ports/account-store.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForAll } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt } from '../support/license-acts.ts';

const names = [
  'Ada',
  'ada byron',
  'ADA',
  'Adam',
  'Bob',
  'Zoë',
  'ZOE',
  'Ünal',
  'ünsal',
  'B_b',
  'b%b',
  '李雷',
  '한글',
  '-',
];
const addresses = ['ada', 'adam', 'bob', 'zoe', 'un-al', 'b_b', '1'];
const searches = [
  '',
  'a',
  'A',
  'ada',
  'ADA ',
  'ada@',
  'b',
  'b_',
  'b%',
  'zo',
  'zoë',
  'ü',
  'ÜN',
  'un',
  '李',
  '한',
  '-',
  'q',
  '1',
];

const bytes = (text: string) => Buffer.from(text);
const inOrder = (one: string, other: string) => Buffer.compare(bytes(one), bytes(other));

for (const backend of backends) {
  describe(`account store: ${backend.name}: list`, () => {
    const stores = openForAll(backend);
    const users: User[] = [];

    before(async () => {
      for (const [n, name] of [...names, ...names, ...names].entries()) {
        const email = `${addresses[n % addresses.length]}${n >= addresses.length ? n : ''}@example.com`;
        const kind = {
          tier: tierNames[n % 4 === 0 ? 2 : n % 2] ?? 'free',
          role: n % 5 === 0 ? 'admin' : null,
          suspendedAt: n % 10 === 0 ? issuedAt : null,
        } as const;
        const added = await stores.accounts.add(
          { name, email, createdAt: issuedAt + n, ...kind },
          event('user.added', email, by, issuedAt),
        );
        if (isRefused(added)) throw new Error(added.detail);
        users.push(added);
      }
    });

    /** All users that the list should contain, in order. */
    const expected = ({ search = '', tier, role }: Omit<UserFilter, 'limit'>) => {
      const start = searchable(search);
      const kept = users.filter(
        (user) => (tier === undefined || user.tier === tier) && (role === undefined || user.role === role),
      );
      if (start === '') return kept.toReversed();
      const byEmail = kept.filter(({ email }) => email.startsWith(start));
      const byName = kept.filter((user) => searchable(user.name).startsWith(start) && !byEmail.includes(user));
      return [
        ...byEmail.sort((one, other) => inOrder(one.email, other.email)),
        ...byName.sort((one, other) => inOrder(searchable(one.name), searchable(other.name)) || one.id - other.id),
      ];
    };

    it('returns every user that passes exactly once, in order, whatever the filter and the size of a page', async () => {
      const filter = fc.record({
        search: fc.option(fc.constantFrom(...searches), { nil: undefined }),
        tier: fc.option(fc.constantFrom(...tierNames), { nil: undefined }),
        role: fc.option(fc.constantFrom(...roles), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(filter, fc.integer({ min: 1, max: 12 }), async (wanted, limit) => {
          const all = expected(wanted);
          const listed: User[] = [];
          for (let page: User[]; ; listed.push(...page)) {
            page = await stores.accounts.list({ ...wanted, after: listed.at(-1), limit });
            expect(page).to.deep.equal(all.slice(listed.length, listed.length + limit));
            if (page.length === 0) break;
          }
          expect(listed).to.deep.equal(all);
        }),
        { numRuns: 60 },
      );
    });

    it('continues after a user who does not pass the filter', async () => {
      const [first] = users;
      for (const search of ['', 'a', 'b', '한']) {
        const found = await stores.accounts.list({ search, tier: 'free', after: first, limit: 99 });
        expect(expected({ search, tier: 'free' }).slice(-found.length || 99)).to.deep.equal(found);
      }
    });

    it('finds a user by the new name, and no more by the old one', async () => {
      const user = users[5];
      if (user === undefined) throw new Error('There are too few users.');
      const rename = (name: string) =>
        stores.accounts.change(user.id, (before) => ({
          after: { ...before, name },
          event: event('user.tier_set', before.email, by, issuedAt),
        }));
      await rename('Quentin');
      const found = await stores.accounts.list({ search: 'QUEN', limit: 9 });
      expect(found.map(({ id }) => id)).to.deep.equal([user.id]);
      await rename(user.name);
      expect(await stores.accounts.list({ search: 'quen', limit: 9 })).to.deep.equal([]);
    });
  });
}
