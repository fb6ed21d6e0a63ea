import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { withAssignedTier } from '../../core/accounts/paid-tier.ts';
import type { Tier } from '../../core/accounts/tier.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import { decideTransition } from '../../core/licensing/transitions.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { createSoldPlans } from '../../core/plans/sold-plans.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { valuesOf } from '../../core/site/setting.ts';
import { day } from '../../core/time.ts';
import { addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { actOn, keyNumber as key, must, newLicense, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`paid plans: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let pro: Product;
    let enterprise: Product;
    let ada: User;
    let bob: User;
    let licenses: number;
    beforeEach(async () => {
      licenses = 0;
      pro = await addForSale(stores, { slug: 'pro-plan', status: 'published' });
      enterprise = await addForSale(stores, { slug: 'big-plan', status: 'published' });
      [ada, bob] = [await addUser(stores, 'Ada'), await addUser(stores, 'Bob')];
      await assign(ada.id, 'free');
      await assign(bob.id, 'free');
    });

    /** As an administrator does it. */
    const assign = (id: UserId, tier: Tier) =>
      stores.accounts.change(id, (before) => ({
        after: withAssignedTier(before, tier),
        event: event('user.tier_set', before.email, by, now, { tier }),
      }));
    /** Adds a paid order with its license. Returns the license. */
    const sell = async (product: Product, userId: UserId | null, expiresAt: Instant | null = null, isLive = true) => {
      const license = key(++licenses);
      await actOn(stores.licenses).issue(newLicense(license, product.id, { expiresAt }));
      const buyer = { userId, email: `buyer${licenses}@example.com`, name: null };
      const order = await addOrder(stores, product, {
        ...{ licenseKey: license, isLive, state: 'paid', paidAt: now, buyer },
      });
      return { license, token: order.token };
    };
    const change = (license: ReturnType<typeof key>, act: Parameters<typeof decideTransition>[1]) =>
      stores.licenses.change(license, undefined, (before) => decideTransition(before, act, by, now));

    const linked = { plan_pro: 'pro-plan', plan_enterprise: 'big-plan' };
    const plansAt = (at: Instant, texts: Readonly<Record<string, string>>) =>
      createSoldPlans({
        plans: stores.plans,
        products: stores.products,
        accounts: stores.accounts,
        settings: { get: () => valuesOf(texts, {}), refresh: async () => undefined },
        clock: createManualClock(at),
      });
    const follow = (at: Instant = now, texts: Readonly<Record<string, string>> = linked) =>
      plansAt(at, texts).follow(() => true);
    const stored = async ({ id }: User) => {
      const { tier, plan } = must(await stores.accounts.findById(id));
      return plan ? [tier, plan.paid, plan.assigned] : [tier];
    };
    const told = async () =>
      (await stores.audit.list({ type: 'user.tier_set', limit: 99 })).filter(({ actor }) => actor === 'server');

    itLong(
      'follow the validity of the license, with one event for each change, however often and by whom the job is done',
      async () => {
        const { license } = await sell(pro, ada.id, now + 30 * day);
        for (let times = 0; times < 3; times++) await Promise.all([follow(), follow(), follow()]);
        expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
        expect(await stored(bob)).to.deep.equal(['free']);
        expect(await told()).to.deep.equal([
          event('user.tier_set', ada.email, { actor: 'server' }, now, { tier: 'pro', paid: 'pro' }),
        ]);
        await change(license, { transition: 'suspend' });
        await Promise.all([follow(), follow()]);
        expect(await stored(ada)).to.deep.equal(['free']);
        await change(license, { transition: 'reinstate' });
        await follow();
        expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
        await follow(now + 30 * day - 1);
        expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
        await change(license, { transition: 'renew', expiresAt: now + 60 * day });
        await follow(now + 30 * day);
        expect(await stored(ada), 'renewed').to.deep.equal(['pro', 'pro', 'free']);
        await follow(now + 60 * day);
        expect(await stored(ada), 'expired').to.deep.equal(['free']);
        expect(await told()).to.have.lengthOf(4);
        expect(await follow(now + 60 * day)).to.equal(0);
      },
    );

    it('are sold by products of the operator and of administrators, and not by those of other sellers', async () => {
      const own = await addForSale(stores, { slug: 'own-plan', ownerId: bob.id });
      await sell(own, ada.id);
      await follow(now, { plan_pro: own.slug });
      expect(await stored(ada)).to.deep.equal(['free']);
      await stores.accounts.changeRights(bob.id, (before) => ({
        after: { ...before, role: 'admin' },
        event: event('user.role_set', before.email, by, now, {}),
      }));
      await follow(now, { plan_pro: own.slug });
      expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
    });

    it('end with the revocation of the license, and when the product is no longer linked', async () => {
      const { license } = await sell(pro, ada.id);
      await sell(pro, bob.id);
      await follow();
      await change(license, { transition: 'revoke' });
      await follow();
      expect([await stored(ada), await stored(bob)]).to.deep.equal([['free'], ['pro', 'pro', 'free']]);
      await follow(now, {});
      expect(await stored(bob)).to.deep.equal(['free']);
      expect(await follow(now, {})).to.equal(0);
      await follow(now, { plan_pro: 'unknown' });
      expect(await stored(bob)).to.deep.equal(['free']);
    });

    it('are those of live orders of accounts: an order of a guest counts once the account has it', async () => {
      await sell(pro, null);
      await sell(pro, bob.id, null, false);
      await follow();
      expect([await stored(ada), await stored(bob)]).to.deep.equal([['free'], ['free']]);
      const { token } = await sell(pro, null);
      const order = must(await stores.orders.findByToken(token));
      await stores.orders.change(order.id, (before) => ({
        after: { ...before, buyer: { ...before.buyer, userId: ada.id } },
        events: [event('order.claimed', String(before.id), by, now)],
      }));
      await follow();
      expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
    });

    it('are the highest that is paid, and never take away what an administrator has given', async () => {
      const { license } = await sell(enterprise, ada.id);
      await sell(pro, ada.id);
      await follow();
      expect(await stored(ada)).to.deep.equal(['enterprise', 'enterprise', 'free']);
      await change(license, { transition: 'revoke' });
      await follow();
      expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
      await assign(ada.id, 'enterprise');
      await follow();
      expect(await stored(ada)).to.deep.equal(['enterprise', 'pro', 'enterprise']);
      await assign(ada.id, 'free');
      expect(await stored(ada)).to.deep.equal(['pro', 'pro', 'free']);
      await assign(ada.id, 'enterprise');
      await follow(now, {});
      expect(await stored(ada)).to.deep.equal(['enterprise']);
    });

    itLong('are found with their end and their order: the highest, and of several the one that ends last', async () => {
      const find = async (at = now) =>
        (await plansAt(at, linked).shownTo(must(await stores.accounts.findById(ada.id)))).paid;
      expect(await find()).to.equal(undefined);
      const short = await sell(pro, ada.id, now + day);
      const long = await sell(pro, ada.id, now + 2 * day);
      await sell(pro, bob.id, now + 3 * day);
      expect(await find()).to.deep.equal({ tier: 'pro', expiresAt: now + 2 * day, token: long.token });
      await change(long.license, { transition: 'suspend' });
      expect(await find()).to.deep.equal({ tier: 'pro', expiresAt: now + day, token: short.token });
      expect(await find(now + day)).to.equal(undefined);
      const forEver = await sell(pro, ada.id);
      expect(await find()).to.deep.equal({ tier: 'pro', expiresAt: null, token: forEver.token });
      const high = await sell(enterprise, ada.id, now + 1);
      expect(await find()).to.deep.equal({ tier: 'enterprise', expiresAt: now + 1, token: high.token });
    });

    it('are read where the account is changed: an older list of accounts does no harm', async () => {
      const { license } = await sell(pro, ada.id);
      const products = { pro: pro.id, enterprise: enterprise.id };
      expect(await stores.plans.differing(products, now, 9)).to.deep.equal([ada.id]);
      await change(license, { transition: 'revoke' });
      const seen: unknown[] = [];
      await stores.plans.change(ada.id, products, now, (after, paid) => {
        seen.push(paid);
        return { after };
      });
      expect(seen).to.deep.equal([null]);
    });

    it('are listed at most as many as asked for, and searches find the user by the new plan', async () => {
      await sell(pro, ada.id);
      await sell(enterprise, bob.id);
      const products = { pro: pro.id, enterprise: enterprise.id };
      expect(await stores.plans.differing(products, now, 1)).to.have.lengthOf(1);
      expect(await stores.plans.differing(products, now, 9)).to.have.members([ada.id, bob.id]);
      expect(await stores.plans.differing({}, now, 9)).to.deep.equal([]);
      await follow();
      expect(await stores.plans.differing({}, now, 1)).to.have.lengthOf(1);
      const found = await stores.accounts.list({ search: 'bob', tier: 'enterprise', limit: 9 });
      expect(found.map(({ user }) => user.id)).to.deep.equal([bob.id]);
    });
  });
}
