import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { toOrderId, toUserId } from '../../core/id.ts';
import { wasNeverPaid } from '../../core/purchases/forgetting.ts';
import type { Order } from '../../core/purchases/order.ts';
import { unpaid } from '../../core/purchases/payment.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import { addTemplate, addUser, backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { deferred } from '../support/deferred.ts';
import { actOn, domain, must, issuedAt as now } from '../support/license-acts.ts';
import { addForSale, addOrder, type Bank, createBank, justAdded, newOrder, settleOn } from '../support/orders.ts';
import { itLong } from '../support/required-service.ts';
import { sharedBackends } from '../support/shared-backends.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`order store: ${backend.name}`, () => {
    const stores = openForEach(backend);
    const keyOf = (order: Order) => must(order.licenseKey ?? undefined);
    const licenseOf = async (order: Order) => must(await stores.licenses.find(keyOf(order)));

    async function sell(fields: Parameters<typeof addForSale>[1] = {}) {
      const bank = createBank();
      const seller = await addUser(stores, 'Sel');
      const product = await addForSale(stores, { ownerId: seller.id, ...fields });
      const settle = settleOn(stores, bank);
      const paid = async (order: Order) => {
        bank.set(order, { status: 'paid' });
        return must(await settle(order.id));
      };
      return { bank, seller, product, settle, paid };
    }

    it('returns an order as it was added, by id, token, payment and intent', async () => {
      const { product } = await sell();
      const made = newOrder(product, {
        intentId: 'intent-1',
        buyer: { userId: toUserId(1), email: 'a@b.example', name: null },
      });
      const added = await stores.orders.add(made, event('order.added', 'x', by, now), now);
      if (isRefused(added)) throw new Error(added.reason);
      expect(added).to.deep.equal({ ...made, id: added.id, ...justAdded });
      expect(await stores.orders.find(added.id)).to.deep.equal(added);
      expect(await stores.orders.findByToken(made.token)).to.deep.equal(added);
      expect(await stores.orders.findByPayment('stripe', must(made.paymentId ?? undefined))).to.deep.equal(added);
      expect(await stores.orders.findByPayment('stripe', 'intent-1')).to.deep.equal(added);
      expect(await stores.orders.findByPayment('test', 'intent-1')).to.equal(undefined);
      expect(await stores.orders.find(toOrderId(99))).to.equal(undefined);
      expect(await stores.orders.find(toOrderId(9_999_999_999))).to.equal(undefined);
    });

    it('says whether anybody else sells live products', async () => {
      const [ada, bob, eve] = [
        await addUser(stores, 'Ada'),
        await addUser(stores, 'Bob'),
        await addUser(stores, 'Eve'),
      ];
      const sellers = async () => {
        const others = await Promise.all([ada, bob, eve].map(({ id }) => stores.orders.othersSell(id)));
        return others.map((isSo) => (isSo ? 'others' : 'nobody else'));
      };
      const nobody = ['nobody else', 'nobody else', 'nobody else'];
      const ofBob = { ownerId: bob.id } as const;
      await addForSale(stores, { ...ofBob, status: 'pending' });
      const unlisted = await addForSale(stores, { ...ofBob, status: 'unlisted' });
      await addForSale(stores, { ...ofBob, status: 'published', archivedAt: now });
      const test = await addForSale(stores, { ...ofBob, status: 'published', isLive: false });
      await addOrder(stores, test);
      expect(await sellers(), 'nothing is sold').to.deep.equal(nobody);
      await addOrder(stores, unlisted);
      expect(await sellers(), 'only Bob sells').to.deep.equal(['others', 'nobody else', 'others']);
      await addForSale(stores, { ownerId: eve.id, status: 'published' });
      expect(await sellers(), 'Bob and Eve sell').to.deep.equal(['others', 'others', 'others']);
    });

    it('counts the products of the operator as sold by somebody else', async () => {
      const ada = await addUser(stores, 'Ada');
      await addForSale(stores, { ownerId: ada.id, status: 'published' });
      expect(await stores.orders.othersSell(ada.id)).to.equal(false);
      await addForSale(stores, { ownerId: null, status: 'published' });
      expect(await stores.orders.othersSell(ada.id)).to.equal(true);
    });

    itLong('forgets old orders that were never paid, with their work and events, and no other order', async () => {
      const { product, paid, bank, settle } = await sell();
      const ended = { state: 'expired', payment: { ...unpaid(product.price, 'usd'), status: 'expired' } } as const;
      const at = (createdAt: number) => ({ createdAt, updatedAt: createdAt });
      const gone: Order[] = [];
      // More than one step deletes.
      for (let n = 0; n < 52; n++) gone.push(await addOrder(stores, product, { ...ended, ...at(now - 100 + n) }));
      const refunded = await addOrder(stores, product, at(now - 40));
      bank.set(refunded, { status: 'paid', currency: 'eur', refunded: refunded.payment.total });
      const kept = [
        must(await settle(refunded.id)),
        await addOrder(stores, product, at(now - 30)),
        await paid(await addOrder(stores, product, at(now - 20))),
        await addOrder(stores, product, { ...ended, ...at(now) }),
      ];
      expect(kept.map(({ state }) => state)).to.deep.equal(['cancelled', 'open', 'paid', 'expired']);
      const [first] = gone;
      await stores.orders.change(must(first).id, (before) => ({
        after: before,
        events: [event('order.changed', String(before.id), by, now)],
      }));
      const eventsBefore = (await stores.audit.list({ limit: 500 })).length;
      expect(await stores.orders.forget(now, wasNeverPaid)).to.equal(52);
      expect(await stores.orders.forget(now, wasNeverPaid)).to.equal(0);
      for (const { id } of gone) expect(await stores.orders.find(id)).to.equal(undefined);
      for (const one of kept) expect(await stores.orders.find(one.id)).to.deep.equal(one);
      // Each had its first event, and one another.
      expect((await stores.audit.list({ limit: 500 })).length).to.equal(eventsBefore - 53);
      const works = await stores.work.claim({ now: now + 1e12, until: now + 2e12, most: 100 });
      const looks = works.flatMap(({ kind, subjectId }) => (kind === 'order' ? [subjectId] : []));
      expect(looks.some((id) => gone.some((one) => Number(one.id) === id))).to.equal(false);
      expect(looks).to.include(Number(kept[1]?.id));
    });

    itLong('does all that follows from a payment in one change', async () => {
      const { product, paid, seller } = await sell();
      const order = await addOrder(stores, product);
      const after = await paid(order);
      expect(after).to.include({ state: 'paid', number: 1, revision: 1, paidAt: now + 10 });
      const { license } = await licenseOf(after);
      expect(license).to.include({ productId: product.id, standing: 'active', ownStanding: null, maxDomains: 5 });
      const types = (await stores.audit.list({ limit: 9 })).map(({ type }) => type);
      expect(types).to.include.members(['order.paid', 'license.issued']);
      const [mail] = await stores.mails.list({ limit: 9 });
      expect(mail).to.deep.include({ kind: 'order-paid', to: { name: 'Zoë "Z" Łuk', address: 'zoe@example.com' } });
      const notices = await stores.notifications.list(seller.id, { limit: 9 });
      expect(notices.map(({ notice }) => notice.kind)).to.deep.equal(['order_paid']);
    });

    itLong('issues one license, one number, one mail and one event for 200 looks at once', async () => {
      const { product, bank, settle } = await sell();
      const order = await addOrder(stores, product);
      bank.set(order, { status: 'paid' });
      const seen = await Promise.all(Array.from({ length: 200 }, () => settle(order.id)));
      expect(new Set(seen.map((one) => one?.licenseKey)).size).to.equal(1);
      expect(await stores.licenses.list({ productId: product.id, limit: 9 })).to.have.lengthOf(1);
      expect(await stores.mails.list({ limit: 9 })).to.have.lengthOf(1);
      const paid = await stores.audit.list({ type: 'order.paid', limit: 9 });
      expect(paid).to.have.lengthOf(1);
      expect(await stores.orders.find(order.id)).to.include({ number: 1, revision: 1 });
    });

    itLong('gives numbers without gaps to orders that are paid at once, also if some changes fail', async () => {
      const { product, bank, settle } = await sell();
      const all: Order[] = [];
      for (let n = 0; n < 50; n++) all.push(await addOrder(stores, product));
      for (const order of all) bank.set(order, { status: 'paid' });
      const failing = (order: Order) =>
        stores.orders
          .change(order.id, (before) => ({
            after: { ...before, paidAt: now },
            events: [event('order.paid', 'x', by, now)],
            news: () => {
              throw new Error('planned');
            },
          }))
          .then(
            () => 'written',
            (error: Error) => error.message,
          );
      const both = all.flatMap((order, n) => (n % 5 === 0 ? [failing(order), settle(order.id)] : [settle(order.id)]));
      const results = await Promise.all(both);
      expect(results.filter((one) => one === 'planned')).to.have.lengthOf(10);
      const numbers = await Promise.all(all.map(async ({ id }) => (await stores.orders.find(id))?.number));
      expect(numbers.sort((one, other) => Number(one) - Number(other))).to.deep.equal(all.map((_, n) => n + 1));
    });

    /** A look whose answer was given before those of later looks, but arrives after them. */
    async function lateLook(bank: Bank, order: Order) {
      const [asked, released] = [deferred(), deferred()];
      const slow = settleOn(stores, {
        ...bank,
        async read(paymentId) {
          const answer = await bank.read(paymentId);
          asked.resolve();
          await released.promise;
          return answer;
        },
      });
      const ended = slow(order.id);
      await asked.promise;
      return () => {
        released.resolve();
        return ended;
      };
    }

    it('does not save an answer of the bank that is older than what is saved', async () => {
      const { product, bank, settle } = await sell();
      const order = await addOrder(stores, product);
      bank.set(order, { status: 'paid' });
      const arrive = await lateLook(bank, order);
      bank.set(order, { refunded: 4990 });
      await settle(order.id);
      await arrive();
      expect(await stores.orders.find(order.id)).to.include({ state: 'refunded' });
      const types = (await stores.audit.list({ subject: String(order.id), limit: 9 })).map(({ type }) => type);
      expect(types.toSorted()).to.deep.equal(['order.paid', 'order.refunded']);
    });

    it('sees that an old answer was saved although a newer one changed nothing', async () => {
      const { product, bank, settle, paid } = await sell();
      const order = await addOrder(stores, product);
      await paid(order);
      bank.set(order, { refundsPending: 4990 });
      const arrive = await lateLook(bank, order);
      bank.set(order, { refundsPending: 0 });
      await settle(order.id);
      await arrive();
      const after = must(await stores.orders.find(order.id));
      expect(after).to.include({ state: 'paid' });
      expect((await licenseOf(after)).license).to.include({ standing: 'active', ownStanding: null });
    });

    itLong('counts numbers for each seller and mode, and gives none to free orders', async () => {
      const { product, paid } = await sell();
      const own = await addForSale(stores, { slug: 'own' });
      const test = await addForSale(stores, { slug: 'test', ownerId: product.ownerId, isLive: false });
      const free = await addForSale(stores, { slug: 'free', ownerId: product.ownerId, price: 0 });
      const numbers: (number | null)[] = [];
      for (const one of [product, own, product, test, free, product]) {
        numbers.push((await paid(await addOrder(stores, one))).number);
      }
      expect(numbers).to.deep.equal([1, 1, 2, 1, null, 3]);
    });

    itLong('refuses a second free order of the same account or address', async () => {
      const { product } = await sell({ price: 0 });
      const ada = await addUser(stores, 'Ada');
      const add = (userId: typeof ada.id | null, email: string, fields = {}) =>
        stores.orders.add(
          newOrder(product, { buyer: { userId, email, name: null }, ...fields }),
          event('order.added', 'x', by, now),
          now,
        );
      const tried = await Promise.all(Array.from({ length: 10 }, () => add(null, 'zoe@example.com')));
      expect(tried.filter(isRefused)).to.have.lengthOf(9);
      expect(await add(ada.id, 'ada@example.com')).to.include({ state: 'open' });
      expect(await add(ada.id, 'other@example.com')).to.include({ reason: 'already_bought' });
      expect(await add(null, 'ada@example.com')).to.include({ reason: 'already_bought' });
      const both = await Promise.all([add(toUserId(1), 'one@example.com'), add(toUserId(1), 'two@example.com')]);
      expect(both.filter(isRefused)).to.have.lengthOf(1);
    });

    it('refuses a second trial of an address with another plus part, also if both are added at once', async () => {
      const { product } = await sell({ price: 0 });
      const offer = { slug: 'try', name: 'Try', kind: 'trial', updatesMonths: null, entitlements: [] } as const;
      const order = (email: string) => {
        const made = newOrder(product, { buyer: { userId: null, email, name: null } });
        return { ...made, agreed: { ...made.agreed, offer } };
      };
      const add = (email: string) => stores.orders.add(order(email), event('order.added', 'x', by, now), now);
      const added = await Promise.allSettled(['ada@b.example', 'ada+1@b.example', 'ada+2@b.example'].map(add));
      const good = added.filter((one) => one.status === 'fulfilled' && !isRefused(one.value));
      expect(good).to.have.lengthOf(1);
      expect(await add('ada+x+y@b.example')).to.include({ reason: 'already_bought' });
      expect(isRefused(await add('eva+1@b.example'))).to.equal(false);
    });

    itLong(
      'renews a license once for each order, whatever comes at once, and keeps the periods in their order',
      async () => {
        const { bank, product, settle, paid } = await sell();
        const bought = await paid(await addOrder(stores, product));
        const key = keyOf(bought);
        expect(await stores.orders.findByLicense(key)).to.deep.equal(bought);
        expect(await stores.orders.periodsOf(key)).to.deep.equal([]);
        const { license } = await licenseOf(bought);
        // Its days would begin with its first activation.
        await stores.licenses.change(key, undefined, (before) => ({
          license: { ...before, daysFromActivation: null, expiresAt: now + 10 * 86_400_000 },
          event: event('license.renewed', key, by, now),
        }));
        const offer = { slug: 'more', name: 'More', kind: 'renewal', updatesMonths: null, entitlements: [] } as const;
        const terms = { ...product.terms, duration: { days: 30, from: 'issue' } } as const;
        const orders = await Promise.all(
          Array.from({ length: 6 }, () => {
            const made = newOrder(product, { renews: key });
            return addOrder(stores, product, { ...made, agreed: { ...made.agreed, offer, terms } });
          }),
        );
        for (const order of orders) bank.set(order, { status: 'paid' });
        await Promise.all([...orders, ...orders, ...orders].map(({ id }) => settle(id)));
        const end = async () => (await licenseOf(bought)).license.expiresAt;
        expect(await end()).to.equal(now + 190 * 86_400_000);
        const periods = await stores.orders.periodsOf(key);
        expect(periods).to.have.lengthOf(7);
        expect(periods[0]).to.deep.include({ cause: `order:${bought.id}`, standing: 'paid', builtOn: [] });
        expect(periods[0]?.gives).to.include({ kind: 'start', maxDomains: license.maxDomains });
        for (const order of orders.slice(0, 3)) bank.set(order, { refunded: order.payment.total });
        await Promise.all([...orders, ...orders].map(({ id }) => settle(id)));
        expect(await end()).to.equal(now + 100 * 86_400_000);
        expect(await stores.licenses.list({ limit: 9 }), 'one license').to.have.lengthOf(1);
        expect((await stores.orders.find(orders[0]?.id ?? toOrderId(0)))?.licenseKey).to.equal(null);
      },
    );

    it('removes the newest domains that a license has no slots for after a refund', async () => {
      const { bank, product, settle, paid } = await sell();
      const bought = await paid(await addOrder(stores, product));
      const key = keyOf(bought);
      const acts = actOn(stores.licenses);
      await acts.activate(key, domain('one.example'), now);
      const offer = { slug: 'team', name: 'Team', kind: 'upgrade', updatesMonths: null, entitlements: [] } as const;
      const terms = { ...product.terms, maxDomains: 8, duration: { days: 30, from: 'issue' } } as const;
      const made = newOrder(product, { renews: key });
      const order = await paid(await addOrder(stores, product, { ...made, agreed: { ...made.agreed, offer, terms } }));
      for (let n = 2; n <= 8; n++) await acts.activate(key, domain(`host${n}.example`), now + n);
      await acts.activate(key, domain('localhost'), now + 9);
      expect(await acts.verify(key, domain('host8.example'), now + 10)).to.include({ kind: 'valid' });
      expect((await licenseOf(bought)).license).to.include({ domainsUsed: 8, freeDomains: 1, maxDomains: 8 });
      bank.set(order, { refunded: order.payment.total });
      expect(await settle(order.id)).to.include({ state: 'refunded' });
      const { license, domains } = await licenseOf(bought);
      expect(license).to.include({ domainsUsed: 5, freeDomains: 1, maxDomains: 5 });
      expect(domains.map((one) => one.domain)).to.deep.equal([
        ...['localhost', 'host5.example', 'host4.example', 'host3.example', 'host2.example', 'one.example'],
      ]);
      expect(license.retired.verificationCount, 'none is forgotten').to.equal(1);
      const [removed] = (await stores.auditLog.list({ limit: 9 })).filter(({ type }) => type === 'license.deactivated');
      expect(removed).to.deep.include({ data: { domain: 'host8.example', also: 'host7.example host6.example' } });
      bank.set(order, { refunded: 0 });
      await settle(order.id);
      expect((await licenseOf(bought)).license).to.include({ domainsUsed: 5, maxDomains: 8 });
    });

    it('adds an order and changes an earlier one in the same transaction, or does neither', async () => {
      const { product } = await sell();
      const earlier = await addOrder(stores, product);
      const told = event('order.added', 'x', by, now);
      const cancelled = (before: Order) => ({
        after: { ...before, state: 'cancelled' as const, payment: { ...before.payment, status: 'cancelled' as const } },
        events: [event('order.changed', String(before.id), by, now)],
      });
      const failing = {
        id: earlier.id,
        decide: () => {
          throw new Error('no');
        },
      };
      const made = newOrder(product);
      const failed = await stores.orders
        .add(made, told, now, { instead: failing })
        .catch((error: Error) => error.message);
      expect(failed).to.equal('no');
      expect(await stores.orders.findByToken(made.token)).to.equal(undefined);
      const added = await stores.orders.add(made, told, now, { instead: { id: earlier.id, decide: cancelled } });
      expect(isRefused(added)).to.equal(false);
      expect((await stores.orders.find(earlier.id))?.state).to.equal('cancelled');
      expect(await stores.orders.findByToken(made.token)).to.include({ state: 'open' });
    });

    it('writes nothing if a change is refused, or has no events', async () => {
      const { product } = await sell();
      const order = await addOrder(stores, product);
      expect(await stores.orders.change(order.id, () => refuse('no'))).to.deep.equal(refuse('no'));
      const same = await stores.orders.change(order.id, (before) => ({ after: { ...before, token: 'x' }, events: [] }));
      expect(same).to.deep.equal(order);
      expect(await stores.orders.find(order.id)).to.deep.equal(order);
      expect(await stores.orders.change(toOrderId(99), () => refuse('no'))).to.equal(undefined);
    });

    it('finds the order of an account with a template that it may use', async () => {
      const template = await addTemplate(stores, 'dex');
      const other = await addTemplate(stores, 'nft');
      const { product, paid, bank, settle } = await sell({ templateId: template.id });
      const ada = await addUser(stores, 'Ada');
      const order = await addOrder(stores, product, {
        buyer: { userId: ada.id, email: 'ada@example.com', name: null },
      });
      expect((await stores.orders.findWithTemplate(ada.id, template.id))?.id).to.equal(undefined);
      await paid(order);
      expect((await stores.orders.findWithTemplate(ada.id, template.id))?.id).to.equal(order.id);
      expect((await stores.orders.findWithTemplate(ada.id, other.id))?.id).to.equal(undefined);
      expect((await stores.orders.findWithTemplate(toUserId(1), template.id))?.id).to.equal(undefined);
      bank.set(order, { refunded: 4990 });
      await settle(order.id);
      expect((await stores.orders.findWithTemplate(ada.id, template.id))?.id).to.equal(undefined);
    });
  });
}
