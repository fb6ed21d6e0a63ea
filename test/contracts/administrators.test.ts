import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { systemSecrets } from '../../adapters/node/secrets.ts';
import { createAccounts } from '../../core/accounts/accounts.ts';
import { createUserAdministration } from '../../core/accounts/user-administration.ts';
import { isRefused } from '../../core/refusal.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { operator } from '../support/by.ts';
import { writeLetter } from '../support/letters.ts';
import { issuedAt, outcome } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`the last administrator: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const start = () => {
      const clock = createManualClock(issuedAt);
      const accounts = createAccounts({
        store: stores.accounts,
        clock,
        secrets: systemSecrets,
        service: 'lk',
        write: writeLetter,
      });
      return createUserAdministration({ store: stores.accounts, accounts, details: stores.details, clock });
    };

    const makeAdmins = async (...names: readonly string[]) => {
      const people = [];
      for (const name of names) {
        const user = await start().setRole((await addUser(stores, name)).email, 'admin', operator);
        if (isRefused(user)) throw new Error(user.detail);
        people.push(user);
      }
      return people;
    };
    const working = async () => {
      const admins = await stores.accounts.list({ role: 'admin', isSuspended: false, limit: 99 });
      return admins.map(({ user }) => user.name);
    };

    itLong('remains, whoever of the last two is demoted or suspended at the same moment', async () => {
      const [ada, bob] = (await makeAdmins('Ada', 'Bob')).map(({ email }) => email) as [string, string];
      const acts = [
        () => [start().setRole(ada, null, operator), start().setRole(bob, null, operator)],
        () => [start().suspend(ada, operator), start().suspend(bob, operator)],
        () => [start().suspend(ada, operator), start().setRole(bob, null, operator)],
      ];
      for (const both of [...acts, ...acts, ...acts]) {
        const answers = await Promise.all(both());
        expect(answers.filter(isRefused).map(outcome)).to.deep.equal(['last_admin']);
        expect(await working()).to.have.lengthOf(1);
        for (const email of [ada, bob]) {
          await start().setRole(email, 'admin', operator);
          await start().reinstate(email, operator);
        }
        expect(await working()).to.have.members(['Ada', 'Bob']);
      }
    });

    it('remains, if many demote each other at the same moment, and the demoted have no more rights', async () => {
      const admins = await makeAdmins('Ada', 'Bob', 'Cleo', 'Dora', 'Eve');
      const answers = await Promise.all(
        admins.map((user, n) => {
          const next = admins[(n + 1) % admins.length];
          return start().setRole(next?.email ?? '', null, { kind: 'user', user });
        }),
      );
      const left = await working();
      expect(left.length).to.be.greaterThan(0);
      expect(answers.filter((answer) => !isRefused(answer))).to.have.lengthOf(admins.length - left.length);
      for (const answer of answers.filter(isRefused)) expect(['last_admin', 'forbidden']).to.include(answer.reason);
    });

    it('passes to the decision the administrators who are not suspended', async () => {
      const [ada, bob, cleo] = await makeAdmins('Ada', 'Bob', 'Cleo');
      if (!ada || !bob || !cleo) throw new Error('There are too few users.');
      await start().suspend(bob.email, operator);
      const plain = await addUser(stores, 'Dora');
      const seen: string[][] = [];
      await stores.accounts.changeRights(plain.id, (before, administrators) => {
        seen.push(administrators.map(String));
        return { after: before };
      });
      expect(seen).to.deep.equal([[ada.id, cleo.id].map(String)]);
    });
  });
}
