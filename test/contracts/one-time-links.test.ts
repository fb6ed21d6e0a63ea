import { expect } from 'chai';
import type { NewLogin } from '../../core/accounts/login.ts';
import type { OneTimeLink, Purpose } from '../../core/accounts/one-time-link.ts';
import { event } from '../../core/events/event.ts';
import type { LinkUse } from '../../core/ports/one-time-links.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, outcome } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

const purposes: readonly Purpose[] = [
  { kind: 'set-up' },
  { kind: 'invite', email: 'a@example.com', role: 'admin', isMailed: true },
  { kind: 'verify-email', name: 'Zoë "Z"', email: 'z@example.com', passwordHash: 'hash' },
  { kind: 'change-email', email: 'b@example.com' },
  { kind: 'reset-password' },
  { kind: 'second-factor' },
];
const link = (digest: string, fields: Partial<OneTimeLink> = {}): OneTimeLink => ({
  digest,
  purpose: { kind: 'reset-password' },
  of: null,
  expiresAt: issuedAt + 10,
  ...fields,
});
const told = event('user.added', 'thing', by, issuedAt);
const admin = (n = 0): NewLogin => ({
  name: 'Root',
  email: `root${n}@example.com`,
  role: 'admin',
  passwordHash: 'hash',
  emailVerifiedAt: null,
  tier: 'free',
  createdAt: issuedAt,
});

for (const backend of [...backends, ...sharedBackends]) {
  describe(`one-time links: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const events = async () => (await stores.audit.list({ subject: 'thing', limit: 99 })).length;

    it('returns each link as it was added, and no other', async () => {
      const { id: userId } = await addLogin(stores);
      const links = purposes.map((purpose, n) =>
        link(`digest ${n}`, { purpose, of: n % 2 ? { userId, generation: n } : null, expiresAt: 2 ** 41 + n }),
      );
      for (const one of links) await stores.links.add(one, issuedAt, n(one));
      for (const one of links) expect(await stores.links.find(one.digest)).to.deep.equal(one);
      expect(await stores.links.find('digest')).to.equal(undefined);
      expect(await events()).to.equal(1);

      function n({ digest }: OneTimeLink) {
        return digest === 'digest 1' ? { event: told } : undefined;
      }
    });

    it('deletes links that have ended, when another is added', async () => {
      await stores.links.add(link('one'), issuedAt);
      await stores.links.add(link('two', { expiresAt: issuedAt + 20 }), issuedAt + 10);
      expect(await stores.links.find('one')).to.not.equal(undefined);
      await stores.links.add(link('three', { expiresAt: issuedAt + 30 }), issuedAt + 11);
      expect(await stores.links.find('one')).to.equal(undefined);
      expect(await stores.links.find('two')).to.not.equal(undefined);
    });

    it('passes the link and its user to the decision, and saves the changed user with the event', async () => {
      const ada = await addLogin(stores);
      const of = { userId: ada.id, generation: 0 };
      const one = link('one', { of });
      await stores.links.add(one, issuedAt);
      await stores.links.add(link('two', { of }), issuedAt);
      const seen: LinkUse[] = [];
      const change = {
        ...ada,
        email: 'new@example.com',
        role: 'admin',
        passwordHash: 'other',
        emailVerifiedAt: issuedAt + 5,
        secondFactor: { secret: 'S', lastStep: 3, recoveryDigests: [] },
        generation: 1,
      } as const;
      const saved = await stores.links.use('one', (use) => {
        seen.push(use);
        return { change, event: told };
      });
      expect(seen).to.deep.equal([{ link: one, login: ada, hasAdministrator: false }]);
      expect(saved).to.deep.equal(change);
      expect(await stores.logins.find(ada.id)).to.deep.equal(change);
      expect([await stores.links.find('one'), await events()]).to.deep.equal([undefined, 1]);
      expect(await stores.links.find('two')).to.not.equal(undefined);
    });

    it('keeps the link and writes nothing if the decision refuses or throws', async () => {
      await stores.links.add(link('one'), issuedAt);
      expect(outcome(await stores.links.use('one', () => refuse('not_today')))).to.equal('not_today');
      const broken = stores.links.use('one', () => {
        throw new Error('broken');
      });
      expect(await broken.catch(String)).to.equal('Error: broken');
      expect(await stores.links.find('one')).to.deep.equal(link('one'));
      expect(await stores.links.use('unknown', () => refuse('never'))).to.equal(undefined);
      expect(await events()).to.equal(0);
    });

    it('refuses an address that another user has, and keeps the link', async () => {
      const ada = await addLogin(stores);
      const bob = await addLogin(stores, { email: 'bob@example.com' });
      await stores.links.add(link('one', { of: { userId: bob.id, generation: 0 } }), issuedAt);
      const change = { ...bob, email: ada.email };
      expect(outcome(await stores.links.use('one', () => ({ change, event: told })))).to.equal('email_taken');
      const add = { ...admin(), email: ada.email };
      expect(outcome(await stores.links.use('one', () => ({ add, event: told })))).to.equal('email_taken');
      expect(await stores.links.find('one')).to.not.equal(undefined);
      expect(await stores.logins.find(bob.id)).to.deep.equal(bob);
      expect(await events()).to.equal(0);
    });

    it('lets exactly one of several concurrent uses succeed', async () => {
      const ada = await addLogin(stores);
      await stores.links.add(link('one', { of: { userId: ada.id, generation: 0 } }), issuedAt);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, generation) =>
          stores.links.use('one', ({ login = ada }) => ({ change: { ...login, generation }, event: told })),
        ),
      );
      const used = answers.filter((answer) => answer !== undefined);
      expect(used).to.have.lengthOf(1);
      expect(await stores.logins.find(ada.id)).to.deep.equal(used[0]);
      expect(await events()).to.equal(1);
    });

    it('gives a free address to exactly one of several concurrent links', async () => {
      const bob = await addLogin(stores, { email: 'bob@example.com' });
      const eve = await addLogin(stores, { email: 'eve@example.com' });
      const logins = [bob, eve, bob, eve, undefined, undefined];
      await Promise.all(
        logins.map((login, n) =>
          stores.links.add(link(`${n}`, { of: login ? { userId: login.id, generation: 0 } : null }), issuedAt),
        ),
      );
      const email = 'wanted@example.com';
      const answers = await Promise.all(
        logins.map((_, n) =>
          stores.links.use(`${n}`, ({ login }) => {
            if (login?.generation === 1) return refuse('stale');
            return login
              ? { change: { ...login, email, generation: 1 }, event: told }
              : { add: { ...admin(), email }, event: told };
          }),
        ),
      );
      expect(answers.filter((answer) => answer !== undefined && !isRefused(answer))).to.have.lengthOf(1);
      expect(await events()).to.equal(1);
    });

    it('makes one administrator, however many set-up links are used at the same moment', async () => {
      const digests = Array.from({ length: 8 }, (_, n) => `set-up ${n % 4}`);
      await stores.links.add(link('other'), issuedAt);
      for (const digest of new Set(digests)) {
        await stores.links.add(link(digest, { purpose: { kind: 'set-up' } }), issuedAt);
      }
      const answers = await Promise.all(
        digests.map((digest, n) =>
          stores.links.use(digest, ({ hasAdministrator }) =>
            hasAdministrator ? refuse('has_administrator') : { add: admin(n), event: told },
          ),
        ),
      );
      expect(answers.filter((answer) => answer !== undefined && !isRefused(answer))).to.have.lengthOf(1);
      expect(await events()).to.equal(1);
      for (const digest of digests) expect(await stores.links.find(digest)).to.equal(undefined);
      expect(await stores.links.find('other'), 'not a set-up link').to.not.equal(undefined);
    });

    it('says of a set-up link whether there is an administrator', async () => {
      await addLogin(stores, { role: 'admin' });
      await stores.links.add(link('late', { purpose: { kind: 'set-up' } }), issuedAt);
      const answer = await stores.links.use('late', ({ hasAdministrator }) => refuse(String(hasAdministrator)));
      expect(outcome(answer)).to.equal('true');
    });
  });
}
