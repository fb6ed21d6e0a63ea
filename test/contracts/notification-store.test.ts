import { expect } from 'chai';
import fc from 'fast-check';
import type { Login } from '../../core/accounts/login.ts';
import { event } from '../../core/events/event.ts';
import {
  toClaimId,
  toNotificationId,
  toOrderId,
  toProductId,
  toUserId,
  toWebhookId,
  type UserId,
} from '../../core/id.ts';
import type { Notice, NoticeKind, Notification } from '../../core/notifications/notification.ts';
import { backends, openForAll, openForEach, type Stores } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { must, issuedAt as now } from '../support/license-acts.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

const key = { name: 'CI "é"', prefix: 'lk_sk_live_ab12', lastFour: '9f3e' };
const product = { product: toProductId(31), title: 'Jar é', isLive: true };
const webhook = { webhook: toWebhookId(41), url: 'https://example.com/hook', isLive: true };
const order = { order: toOrderId(51), title: 'Jar é', amount: 4900, currency: 'usd', isLive: true };
const samples: { readonly [Kind in NoticeKind]: Extract<Notice, { kind: Kind }> } = {
  new_sign_in: { kind: 'new_sign_in', browser: 'Firefox 😀', address: '2001:db8::/64' },
  key_made: { kind: 'key_made', ...key },
  key_revoked: { kind: 'key_revoked', ...key },
  password_changed: { kind: 'password_changed' },
  email_changed: { kind: 'email_changed', email: 'new@example.com' },
  second_factor_changed: { kind: 'second_factor_changed', change: 'off' },
  product_approved: { kind: 'product_approved', ...product },
  product_waits: { kind: 'product_waits', ...product },
  product_rejected: { kind: 'product_rejected', ...product, reason: 'Not "new"' },
  product_rated: { kind: 'product_rated', ...product, stars: 4 },
  rating_reported: { kind: 'rating_reported', ...product },
  license_leak_suspected: {
    ...{ kind: 'license_leak_suspected', licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ' },
    ...{ title: 'Jar é', isLive: true, domains: 3 },
  },
  order_paid: { kind: 'order_paid', ...order },
  order_waits: { kind: 'order_waits', ...order },
  payment_claimed: { kind: 'payment_claimed', ...order, claim: toClaimId(61), usdc: '47.120000' },
  order_refunded: { kind: 'order_refunded', ...order, amount: 100 },
  subscription_cancelled: { kind: 'subscription_cancelled', ...order },
  subscription_payment_failed: { kind: 'subscription_payment_failed', ...order },
  order_disputed: { kind: 'order_disputed', ...order, dispute: 'open' },
  order_held: { kind: 'order_held', ...order, currency: 'eur' },
  webhook_failed: { kind: 'webhook_failed', ...webhook, why: 'The host answered with status 500.' },
  webhook_off: { kind: 'webhook_off', ...webhook },
};

/** Adds a notification for each instant, as news of a change, and returns them, newest first. */
async function tell(
  { logins, notifications }: Pick<Stores, 'logins' | 'notifications'>,
  userId: UserId,
  notices: readonly Notice[],
  createdAt = now,
): Promise<Notification[]> {
  await logins.change(userId, (after) => ({
    after,
    event: event('user.password_set', 'thing', by, now),
    notices: notices.map((notice) => ({ userId, notice, createdAt })),
  }));
  return await notifications.list(userId, { limit: notices.length });
}

for (const backend of [...backends, ...sharedBackends]) {
  describe(`notification store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: UserId;
    let bob: UserId;
    beforeEach(async () => {
      ada = (await addLogin(stores)).id;
      bob = (await addLogin(stores, { email: 'bob@example.com' })).id;
    });
    const all = (userId: UserId) => stores.notifications.list(userId, { limit: 999 });
    const some = (count: number) => Array.from({ length: count }, () => samples.password_changed);

    it('returns every kind as it was added, unread, newest first', async () => {
      const notices = Object.values(samples);
      const told = await tell(stores, ada, notices, now + 7);
      expect(told.map(({ notice }) => notice)).to.deep.equal(notices.toReversed());
      for (const one of told) expect(one).to.include({ userId: ada, createdAt: now + 7, readAt: null });
      expect(await all(bob)).to.deep.equal([]);
    });

    it('lists page by page', async () => {
      const told = await tell(stores, ada, some(5));
      const page = await stores.notifications.list(ada, { limit: 2 });
      expect(page).to.deep.equal(told.slice(0, 2));
      expect(await stores.notifications.list(ada, { before: must(page[1]).id, limit: 2 })).to.deep.equal(
        told.slice(2, 4),
      );
    });

    it('counts the unread ones of one user, up to the limit', async () => {
      const told = await tell(stores, ada, some(4));
      await tell(stores, bob, some(1));
      await stores.notifications.markRead(ada, { only: must(told[2]).id }, now);
      expect(await stores.notifications.countUnread(ada, 9)).to.equal(3);
      expect(await stores.notifications.countUnread(ada, 2)).to.equal(2);
      expect(await stores.notifications.countUnread(bob, 9)).to.equal(1);
      expect(await stores.notifications.countUnread(toUserId(999), 9)).to.equal(0);
    });

    it('marks one, or all up to one, as read once', async () => {
      const [third, second, first] = await tell(stores, ada, some(3));
      await stores.notifications.markRead(ada, { only: must(first).id }, now + 1);
      await stores.notifications.markRead(ada, { upTo: must(second).id }, now + 2);
      expect((await all(ada)).map(({ id, readAt }) => [id, readAt])).to.deep.equal([
        [third?.id, null],
        [second?.id, now + 2],
        [first?.id, now + 1],
      ]);
    });

    it('dismisses one, or all up to one', async () => {
      const [fourth, third, second, first] = await tell(stores, ada, some(4));
      await stores.notifications.dismiss(ada, { only: must(third).id });
      expect(await all(ada)).to.deep.equal([fourth, second, first]);
      await stores.notifications.dismiss(ada, { upTo: must(second).id });
      expect(await all(ada)).to.deep.equal([fourth]);
      await stores.notifications.dismiss(ada, { only: toNotificationId(999_999) });
      expect(await all(ada)).to.deep.equal([fourth]);
    });

    it('deletes those of all users that were made before a time', async () => {
      await tell(stores, ada, some(2), now - 1);
      await tell(stores, bob, some(1), now - 9);
      const kept = await tell(stores, ada, some(1), now);
      expect(await stores.notifications.forget(now)).to.equal(3);
      expect(await stores.notifications.forget(now)).to.equal(0);
      expect([await all(ada), await all(bob)]).to.deep.equal([kept, []]);
    });
  });
}

for (const backend of backends) {
  describe(`notification store: ${backend.name}: any acts of several users`, () => {
    const stores = openForAll(backend);
    let users: Login[];
    before(async () => {
      users = [];
      for (const name of ['ada', 'bob', 'eve']) users.push(await addLogin(stores, { email: `${name}@example.com` }));
    });

    itLong('show and change only the notifications of the same user', async () => {
      const acts = ['tell', 'read one', 'read up to', 'dismiss one', 'dismiss up to'] as const;
      const act = fc.record({ who: fc.nat(2), act: fc.constantFrom(...acts), target: fc.nat(30) });
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async (steps) => {
          const everything = async () =>
            (await Promise.all(users.map(({ id }) => stores.notifications.list(id, { limit: 999 })))).flat();
          for (const { id } of users) await stores.notifications.dismiss(id, { upTo: toNotificationId(2_147_483_647) });
          let model: Notification[] = [];
          for (const [step, { who, act: name, target }] of steps.entries()) {
            const userId = must(users[who]).id;
            // Also the ids of notifications of others, which must have no effect.
            const ids = model.map(({ id }) => id);
            const id = ids[target % Math.max(1, ids.length)] ?? toNotificationId(1);
            const isOne = name.endsWith('one');
            const isChosen = (one: Notification) => one.userId === userId && (isOne ? one.id === id : one.id <= id);
            const which = isOne ? { only: id } : { upTo: id };
            if (name === 'tell') {
              const [told] = await tell(stores, userId, [{ kind: 'email_changed', email: `${step}` }]);
              model.push(must(told));
            } else if (name.startsWith('read')) {
              await stores.notifications.markRead(userId, which, now + step);
              model = model.map((one) => (isChosen(one) ? { ...one, readAt: one.readAt ?? now + step } : one));
            } else {
              await stores.notifications.dismiss(userId, which);
              model = model.filter((one) => !isChosen(one));
            }
            expect(await everything()).to.have.deep.members(model);
            for (const user of users) {
              const own = model.filter((one) => one.userId === user.id && one.readAt === null).length;
              expect(await stores.notifications.countUnread(user.id, 99)).to.equal(own);
            }
          }
        }),
        { numRuns: runs(12) },
      );
    });
  });
}
