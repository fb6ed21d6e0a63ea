import { expect } from 'chai';
import { plainUser, type User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import { toUserId } from '../../core/id.ts';
import { isRefused } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { addProduct, issuedAt, outcome } from '../support/license-acts.ts';

const ada = {
  ...plainUser,
  name: 'Ada',
  email: 'ada@example.com',
  tier: 'pro',
  createdAt: issuedAt,
} satisfies Omit<User, 'id'>;
const bob = {
  name: 'Böb "B" O\'Neil',
  email: 'bob@example.com',
  tier: 'free',
  createdAt: issuedAt + 1,
  role: 'admin',
  selling: 'trusted',
  suspendedAt: issuedAt + 2,
} as const;

for (const backend of backends) {
  describe(`account store: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const add = (user: Omit<User, 'id'>) =>
      stores.accounts.add(user, event('user.added', user.email, by, user.createdAt, { tier: user.tier }));
    const added = async (user: Omit<User, 'id'>) => {
      const answer = await add(user);
      if (isRefused(answer)) throw new Error(answer.detail);
      return answer;
    };

    it('returns the added user with a new id', async () => {
      const first = await added(ada);
      const second = await added(bob);
      expect(first).to.deep.equal({ ...ada, id: first.id });
      expect(second).to.deep.equal({ ...bob, id: second.id });
      expect(first.id).to.not.equal(second.id);
    });

    it('finds each user by id and by e-mail address', async () => {
      const users = [await added(ada), await added(bob), await added({ ...ada, email: 'c@x.org', tier: 'enterprise' })];
      for (const user of users) {
        expect(await stores.accounts.findById(user.id)).to.deep.equal(user);
        expect(await stores.accounts.findByEmail(user.email)).to.deep.equal(user);
      }
      const asked = [...users, ...users].map(({ id }) => stores.accounts.findById(id));
      expect(await Promise.all([...asked, stores.accounts.findById(toUserId(0))])).to.deep.equal([
        ...users,
        ...users,
        undefined,
      ]);
    });

    it('finds no user by an unknown id or address', async () => {
      const { id } = await added(ada);
      for (const unknown of [id + 1, 0, -1, 999_999_999_999_999]) {
        expect(await stores.accounts.findById(toUserId(unknown))).to.equal(undefined);
      }
      for (const unknown of ['bob@example.com', 'ada@example.co', '%', '']) {
        expect(await stores.accounts.findByEmail(unknown)).to.equal(undefined);
      }
    });

    it('saves the event of a user that it adds', async () => {
      await added(ada);
      await added(bob);
      expect(await stores.audit.list({ subject: bob.email, limit: 9 })).to.deep.equal([
        event('user.added', bob.email, by, issuedAt + 1, { tier: 'free' }),
      ]);
    });

    it('refuses an address that is taken, and saves neither the user nor the event', async () => {
      const first = await added(ada);
      const refused = await add({ ...bob, email: ada.email });
      expect(outcome(refused)).to.equal('email_taken');
      expect(await stores.accounts.findByEmail(ada.email)).to.deep.equal(first);
      expect(await stores.accounts.findById(toUserId(first.id + 1))).to.equal(undefined);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(1);
    });

    it('accepts exactly one of several concurrent users with the same address', async () => {
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, n) => add({ ...ada, name: `Ada ${n}`, email: `ada-${n % 3}@example.com` })),
      );
      expect(answers.filter(isRefused)).to.have.lengthOf(12);
      for (const answer of answers) {
        if (!isRefused(answer)) expect(await stores.accounts.findById(answer.id)).to.deep.equal(answer);
      }
      expect(await stores.audit.list({ limit: 99 })).to.have.lengthOf(3);
    });

    it('does not find a user by the id of a product', async () => {
      const productId = await addProduct(stores.products);
      const user = await added(ada);
      expect(user.id).to.not.equal(productId);
      expect(await stores.accounts.findById(toUserId(productId))).to.equal(undefined);
    });
  });
}
