import { expect } from 'chai';
import type { Login } from '../../core/accounts/login.ts';
import { event } from '../../core/events/event.ts';
import { toUserId } from '../../core/id.ts';
import { refuse } from '../../core/refusal.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`login store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const told = (n: number) => event('user.signed_in', 'thing', by, issuedAt + n, { n });

    it('finds a login by id and by address, also of a user who has no credentials', async () => {
      const ada = await addLogin(stores, { role: 'admin' });
      const bob = await addUser(stores, 'Bob');
      const bare = {
        role: null,
        selling: null,
        suspendedAt: null,
        passwordHash: null,
        emailVerifiedAt: null,
        secondFactor: null,
      };
      expect(await stores.logins.find(ada.id)).to.deep.equal(ada);
      expect(await stores.logins.findByEmail('ada@example.com')).to.deep.equal(ada);
      expect(ada).to.include({ name: 'Ada', role: 'admin', emailVerifiedAt: issuedAt, generation: 0 });
      const login = { ...bare, id: bob.id, name: 'Bob', email: bob.email, generation: 0 };
      expect(await stores.logins.findByEmail(bob.email)).to.deep.equal(login);
      for (const unknown of [bob.id + 1, 0, -1, 999_999_999_999_999]) {
        expect(await stores.logins.find(toUserId(unknown))).to.equal(undefined);
        expect(await stores.logins.change(toUserId(unknown), () => refuse('never'))).to.equal(undefined);
      }
      expect(await stores.logins.findByEmail('nobody@example.com')).to.equal(undefined);
    });

    it('knows whether any user is an administrator', async () => {
      await addLogin(stores);
      expect(await stores.logins.hasAdministrator()).to.equal(false);
      await addLogin(stores, { email: 'root@example.com', role: 'admin' });
      expect(await stores.logins.hasAdministrator()).to.equal(true);
    });

    it('saves all decided fields together with the event, also for a user who had no credentials', async () => {
      const { id, name, email } = await addUser(stores, 'Bob');
      const bystander = await addLogin(stores);
      const after: Login = {
        id,
        name,
        email,
        role: null,
        selling: null,
        suspendedAt: null,
        passwordHash: 'a hash',
        emailVerifiedAt: 2 ** 41,
        secondFactor: { secret: 'ABC', lastStep: 2 ** 33, recoveryDigests: ['a', 'b'] },
        generation: 7,
      };
      expect(await stores.logins.change(id, () => ({ after, event: told(1) }))).to.deep.equal(after);
      expect(await stores.logins.find(id)).to.deep.equal(after);
      const off = { ...after, secondFactor: null, passwordHash: null, emailVerifiedAt: null, generation: 8 };
      await stores.logins.change(id, () => ({ after: off, event: told(2) }));
      expect(await stores.logins.find(id)).to.deep.equal(off);
      expect(await stores.logins.find(bystander.id)).to.deep.equal(bystander);
      expect(await stores.audit.list({ subject: 'thing', limit: 9 })).to.deep.equal([told(2), told(1)]);
    });

    it('never changes name, address, role or suspension', async () => {
      const ada = await addLogin(stores);
      const other = { name: 'Eve', email: 'eve@example.com', role: 'admin', suspendedAt: 1, generation: 1 } as const;
      const changed = await stores.logins.change(ada.id, (before) => ({
        after: { ...before, ...other },
        event: told(1),
      }));
      expect(changed).to.deep.equal({ ...ada, generation: 1 });
      expect(await stores.logins.find(ada.id)).to.deep.equal(changed);
    });

    it('changes nothing after a refusal, without an event, and if the decision throws', async () => {
      const ada = await addLogin(stores);
      const refusal = refuse('not_today');
      expect(await stores.logins.change(ada.id, () => refusal)).to.deep.equal(refusal);
      expect(await stores.logins.change(ada.id, (before) => ({ after: { ...before, generation: 9 } }))).to.deep.equal(
        ada,
      );
      const broken = stores.logins.change(ada.id, () => {
        throw new Error('broken');
      });
      expect(await broken.catch(String)).to.equal('Error: broken');
      expect(await stores.logins.find(ada.id)).to.deep.equal(ada);
    });

    it('loses no concurrent change', async () => {
      const ada = await addLogin(stores);
      await Promise.all(
        Array.from({ length: 12 }, () =>
          stores.logins.change(ada.id, (before) => ({
            after: { ...before, generation: before.generation + 1 },
            event: told(before.generation),
          })),
        ),
      );
      expect(await stores.logins.find(ada.id)).to.deep.equal({ ...ada, generation: 12 });
      const events = await stores.audit.list({ subject: 'thing', limit: 99 });
      expect(events).to.deep.equal([...Array(12).keys()].reverse().map(told));
    });
  });
}
