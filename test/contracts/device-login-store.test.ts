import { expect } from 'chai';
import type { DeviceLogin } from '../../core/accounts/device-login.ts';
import { event } from '../../core/events/event.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

const told = event('device.approved', 'thing', by, issuedAt);
const login = (name: string, more: Partial<DeviceLogin> = {}): DeviceLogin => ({
  digest: `device ${name}`,
  userDigest: `user ${name}`,
  clientName: 'latchkey on "Zoë"',
  address: '2001:db8::/64',
  mode: 'live',
  scopes: null,
  createdAt: issuedAt,
  expiresAt: issuedAt + 10,
  interval: 5,
  polledAt: null,
  answer: { kind: 'waiting' },
  ...more,
});

for (const backend of [...backends, ...sharedBackends]) {
  describe(`programs that wait for a key: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const look = (code: Parameters<typeof stores.devices.change>[0]) =>
      stores.devices.change(code, (found) => ({ after: 'same', result: found }));
    const events = async () => (await stores.audit.list({ subject: 'thing', limit: 99 })).length;

    it('are found by both of their codes, as they were added', async () => {
      const { id: userId } = await addLogin(stores);
      const all = [
        login('a'),
        login('b', { scopes: ['licenses:read', 'account:read'], mode: 'test', polledAt: 2 ** 41, interval: 10 }),
        login('c', { answer: { kind: 'denied' }, expiresAt: 2 ** 41 }),
        login('d', { answer: { kind: 'approved', userId, generation: 3, keyName: 'My “key”' } }),
      ];
      for (const one of all) expect(await stores.devices.add(one, issuedAt)).to.equal(true);
      for (const one of all) {
        expect(await look({ digest: one.digest })).to.deep.equal(one);
        expect(await look({ userDigest: one.userDigest })).to.deep.equal(one);
      }
      expect(await look({ digest: 'user a' })).to.equal(undefined);
      expect(await look({ userDigest: 'device a' })).to.equal(undefined);
    });

    it('are not added if another one has the same code for the person', async () => {
      await stores.devices.add(login('a'), issuedAt);
      expect(await stores.devices.add(login('b', { userDigest: 'user a' }), issuedAt)).to.equal(false);
      expect(await look({ digest: 'device b' })).to.equal(undefined);
      expect(await look({ userDigest: 'user a' })).to.deep.equal(login('a'));
    });

    it('are deleted after their end, when another one is added', async () => {
      await stores.devices.add(login('a'), issuedAt);
      await stores.devices.add(login('b', { expiresAt: issuedAt + 20 }), issuedAt + 10);
      expect(await look({ digest: 'device a' })).to.not.equal(undefined);
      await stores.devices.add(login('c', { expiresAt: issuedAt + 30 }), issuedAt + 11);
      expect(await look({ digest: 'device a' })).to.equal(undefined);
      expect(await look({ digest: 'device b' })).to.not.equal(undefined);
    });

    it('are saved with the event, or removed', async () => {
      const { id: userId } = await addLogin(stores);
      await stores.devices.add(login('a'), issuedAt);
      await stores.devices.add(login('b'), issuedAt);
      const after = login('a', {
        interval: 15,
        polledAt: issuedAt + 3,
        answer: { kind: 'approved', userId, generation: 1, keyName: 'Laptop' },
      });
      const code = { userDigest: 'user a' };
      expect(await stores.devices.change(code, () => ({ after, event: told, result: 'yes' }))).to.equal('yes');
      expect([await look({ digest: 'device a' }), await events()]).to.deep.equal([after, 1]);
      await stores.devices.change(code, () => ({ after: 'removed', result: 0 }));
      expect(await look(code)).to.equal(undefined);
      expect(await look({ digest: 'device b' })).to.deep.equal(login('b'));
    });

    it('stay as they are if the decision throws', async () => {
      await stores.devices.add(login('a'), issuedAt);
      const broken = stores.devices.change({ digest: 'device a' }, () => {
        throw new Error('broken');
      });
      expect(await broken.catch(String)).to.equal('Error: broken');
      expect(await look({ digest: 'device a' })).to.deep.equal(login('a'));
    });

    it('are taken by exactly one of several calls at once', async () => {
      await stores.devices.add(login('a'), issuedAt);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          stores.devices.change({ digest: 'device a' }, () => ({ after: 'removed', event: told, result: 'taken' })),
        ),
      );
      expect(answers.filter((answer) => answer === 'taken')).to.have.lengthOf(1);
      expect(await events()).to.equal(1);
    });
  });
}
