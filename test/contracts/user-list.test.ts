import { expect } from 'chai';
import fc from 'fast-check';
import { roles } from '../../core/accounts/role.ts';
import { tierNames } from '../../core/accounts/tier.ts';
import { plainUser, type User } from '../../core/accounts/user.ts';
import { searched, searchTexts } from '../../core/accounts/user-search.ts';
import { event } from '../../core/events/event.ts';
import type { ListedUser, UserFilter } from '../../core/ports/account-store.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForAll } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { issuedAt, must } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

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
  'Bob Ada  Ünal',
  'Ada Ada',
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
  'ada ü',
  '雷',
  'al',
  'example',
  '@EXAMPLE.com',
  'com',
  'a\0da',
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
          selling: null,
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
    const expected = ({ search, tier, role, isSuspended }: Omit<UserFilter, 'limit'>): ListedUser[] => {
      const kept = users.filter(
        (user) =>
          (tier === undefined || user.tier === tier) &&
          (role === undefined || user.role === role) &&
          (isSuspended === undefined || (user.suspendedAt !== null) === isSuspended),
      );
      const start = searched(search);
      if (start === '') return kept.toReversed().map((user) => ({ user, place: { id: user.id, text: null } }));
      return kept
        .flatMap((user) => {
          const [text] = searchTexts(user)
            .filter((one) => one.startsWith(start))
            .sort(inOrder);
          return text === undefined ? [] : [{ user, place: { id: user.id, text } }];
        })
        .sort((one, other) => inOrder(one.place.text, other.place.text) || one.user.id - other.user.id);
    };

    it('returns every user that passes exactly once, in order, whatever the filter and the size of a page', async () => {
      const filter = fc.record({
        search: fc.option(fc.constantFrom(...searches), { nil: undefined }),
        tier: fc.option(fc.constantFrom(...tierNames), { nil: undefined }),
        role: fc.option(fc.constantFrom(...roles), { nil: undefined }),
        isSuspended: fc.option(fc.boolean(), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(filter, fc.integer({ min: 1, max: 12 }), async (wanted, limit) => {
          const all = expected(wanted);
          const listed: ListedUser[] = [];
          for (let page: ListedUser[]; ; listed.push(...page)) {
            page = await stores.accounts.list({ ...wanted, after: listed.at(-1)?.place, limit });
            expect(page).to.deep.equal(all.slice(listed.length, listed.length + limit));
            if (page.length === 0) break;
          }
          expect(listed).to.deep.equal(all);
        }),
        { numRuns: runs(60) },
      );
    });

    it('continues after the place of a user who does not pass the filter', async () => {
      for (const search of ['', 'a', 'b', '한', 'example']) {
        const [first, ...rest] = expected({ search });
        const filter = { search, tier: first?.user.tier === 'free' ? 'pro' : 'free' } as const;
        const wanted = rest.filter(({ user }) => user.tier === filter.tier);
        expect(await stores.accounts.list({ ...filter, after: first?.place, limit: 99 })).to.deep.equal(wanted);
      }
    });

    const idsOf = async (search: string, filter: Omit<UserFilter, 'limit'> = {}) =>
      (await stores.accounts.list({ ...filter, search, limit: 9 })).map(({ user }) => user.id);

    it('finds a user by the new name, and no more by the old one', async () => {
      const user = must(users[5]);
      const rename = (name: string) =>
        stores.accounts.change(user.id, (before) => ({
          after: { ...before, name },
          event: event('user.tier_set', before.email, by, issuedAt),
        }));
      await rename('Quentin of Queensland');
      expect([await idsOf('QUEN'), await idsOf('queens')]).to.deep.equal([[user.id], [user.id]]);
      await rename(user.name);
      expect(await idsOf('quen')).to.deep.equal([]);
    });

    it('finds a user by the new filters after a change of plan, role or suspension', async () => {
      const email = 'zzz@example.com';
      const data = { name: 'Zzz', email, tier: 'free', createdAt: issuedAt, ...plainUser } as const;
      const { id } = good(await stores.accounts.add(data, event('user.added', email, by, issuedAt)));
      const changed = event('user.role_set', email, by, issuedAt);
      await stores.accounts.change(id, (before) => ({ after: { ...before, tier: 'pro' }, event: changed }));
      await stores.accounts.changeRights(id, (before) => ({
        after: { ...before, role: 'admin', suspendedAt: issuedAt },
        event: changed,
      }));
      for (const filter of [{ tier: 'pro' }, { role: 'admin' }, { isSuspended: true }] as const) {
        expect(await idsOf('zzz', filter), JSON.stringify(filter)).to.deep.equal([id]);
      }
      for (const filter of [{ tier: 'free' }, { isSuspended: false }] as const) {
        expect(await idsOf('zzz', filter), JSON.stringify(filter)).to.deep.equal([]);
      }
      users.push(must(await stores.accounts.findById(id)));
    });
  });
}
