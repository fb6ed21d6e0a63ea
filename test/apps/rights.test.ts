import { expect } from 'chai';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { keyModes } from '../../core/accounts/api-key.ts';
import { type Action, type Actor, may, type Role } from '../../core/accounts/role.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import type { ProductId } from '../../core/id.ts';
import { parseAlias } from '../../core/licensing/alias.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Move } from '../../core/licensing/move.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import type { Seller } from '../../core/selling/seller.ts';
import type { Template } from '../../core/templates/template.ts';
import { newTemplate } from '../support/backends.ts';
import { by, operator } from '../support/by.ts';
import { exampleClaim, prepareClaim } from '../support/example-claim.ts';
import { exampleOffer } from '../support/example-product.ts';
import { good } from '../support/good.ts';
import { domain, keyNumber, must } from '../support/license-acts.ts';
import { addOrder, newRating } from '../support/orders.ts';
import { payable, placeSubscription } from '../support/placed-orders.ts';

const key = keyNumber(1);

/** All use cases of administrators, with the right that each needs. Most are refused for other reasons, if not for lack of the right. */
async function useCases(parts: Parts, user: User, template: Template, productId: ProductId) {
  const terms = { productId, maxDomains: 1, expiresAt: null };
  const [accounts, users, products] = [
    await parts.get(t.accounts),
    await parts.get(t.userAdministration),
    await parts.get(t.products),
  ];
  const [templates, issuing, mails] = [
    await parts.get(t.templateAdministration),
    await parts.get(t.issuing),
    await parts.get(t.mails),
  ];
  const [settings, launch] = [await parts.get(t.siteSettings), await parts.get(t.showLaunch)];
  const [trail, system] = [await parts.get(t.auditTrail), await parts.get(t.system)];
  const [contents, links] = [await parts.get(t.showContents), await parts.get(t.productTemplates)];
  const sheets = await parts.get(t.sheetImports);
  const nothing = async function* () {};
  const [sessions, signUp] = [await parts.get(t.sessions), await parts.get(t.signUp)];
  const invited = { email: user.email, deliver: 'return' } as const;
  const ratings = await parts.get(t.ratings);
  const cases: readonly (readonly [string, Action, (actor: Actor) => Promise<unknown>])[] = [
    ['accounts.add', 'users:manage', (actor) => accounts.add({ name: 'X', email: user.email, tier: 'pro' }, actor)],
    ['accounts.setTier', 'users:manage', (actor) => accounts.setTier('99', 'pro', actor)],
    ['accounts.setSelling', 'users:manage', (actor) => accounts.setSelling('99', 'trusted', actor)],
    ['users.list', 'users:read', (actor) => users.list({ limit: 1 }, actor)],
    ['users.show', 'users:read', (actor) => users.show('99', actor)],
    ['users.detail', 'users:read', (actor) => users.detail('99', actor)],
    ['users.suspend', 'users:manage', (actor) => users.suspend('99', actor)],
    ['users.reinstate', 'users:manage', (actor) => users.reinstate('99', actor)],
    ['users.setRole', 'roles:set', (actor) => users.setRole('99', 'admin', actor)],
    ['signUp.invite', 'users:manage', (actor) => signUp.invite({ ...invited, role: null }, actor)],
    ['signUp.invite an administrator', 'roles:set', (actor) => signUp.invite({ ...invited, role: 'admin' }, actor)],
    ['sessions.end', 'sessions:end', (actor) => sessions.end(user.id, 'all', actor)],
    ['products.add', 'products:moderate', (actor) => products.add({ title: 'X', ownerId: null }, actor)],
    ['products.find', 'products:moderate', (actor) => products.find('99', actor)],
    ['products.list', 'products:moderate', (actor) => products.list({}, 1, 1, actor)],
    ['products.change', 'products:moderate', (actor) => products.change('99', 'approve', actor)],
    ['contents of a product', 'products:moderate', (actor) => contents('99', actor)],
    ['templates.link', 'products:moderate', (actor) => links.link('99', null, actor)],
    ['templates.add', 'templates:manage', (actor) => templates.add(newTemplate({ slug: '1' }), actor)],
    ['templates.update', 'templates:manage', (actor) => templates.update('99', {}, actor)],
    ['templates.find', 'templates:manage', (actor) => templates.find('99', actor)],
    ['templates.addPurchase', 'purchases:manage', (actor) => templates.addPurchase(user, template, actor)],
    ['templates.list', 'templates:manage', (actor) => templates.list(actor)],
    ['issuing.issue', 'licenses:manage', (actor) => issuing.issue(terms, 1, actor)],
    ['issuing.issueAs', 'licenses:manage', (actor) => issuing.issueAs(key, terms, actor)],
    ['issuing.issueMany', 'licenses:manage', (actor) => issuing.issueMany(terms, 1, actor)],
    ['issuing.import', 'licenses:manage', (actor) => issuing.import([], actor)],
    ['issuing.change', 'licenses:manage', (actor) => issuing.change(key, 'suspend', actor)],
    ['issuing.renew', 'licenses:manage', (actor) => issuing.renew(key, null, actor)],
    ['issuing.list', 'licenses:manage', (actor) => issuing.list({ limit: 1 }, actor)],
    ['sheets.importAny', 'licenses:manage', (actor) => sheets.importAny(nothing(), actor)],
    ['mails.list', 'mails:read', (actor) => mails.list({ limit: 1 }, actor)],
    ['mails.show', 'mails:read', (actor) => mails.show('99', actor)],
    ['mails.retry', 'mails:manage', (actor) => mails.retry('99', actor)],
    ['mails.sendTest', 'mails:manage', (actor) => mails.sendTest('no address', actor)],
    ['trail.list', 'audit:read', (actor) => trail.list({ limit: 1 }, actor)],
    ['system', 'system:read', (actor) => system(actor)],
    ['launch', 'settings:manage', (actor) => launch(actor)],
    ['ratings.inStates', 'products:moderate', (actor) => ratings.inStates(['shown'], undefined, 1, actor)],
    ['ratings.moderated', 'products:moderate', (actor) => ratings.moderated('99', actor)],
    ['ratings.decide', 'products:moderate', (actor) => ratings.decide('99', 'hidden', actor)],
    ['settings.show', 'settings:manage', (actor) => settings.show(actor)],
    ['settings.change', 'settings:manage', (actor) => settings.change({ site_name: '' }, actor)],
  ];
  return cases;
}

/** The refusals for what somebody cannot reach. */
const unknown = [
  'product_not_found',
  'invalid_key',
  'webhook_not_found',
  'order_not_found',
  'claim_not_found',
  'subscription_not_found',
  'not_found',
];

/** Returns a page of a list, or a refusal if nothing is in it. People without the right get no list. */
function found<T extends object>(page: T | Refused): T | Refused {
  const isEmpty = isRefused(page) || Object.values(page).some((items) => Array.isArray(items) && items.length === 0);
  return isEmpty ? refuse('not_found') : page;
}

/** All use cases of sellers on one product, one license and one webhook, with the right that each needs. Few of them change anything. */
async function sellerCases(
  parts: Parts,
  { slug: product }: Product,
  license: LicenseKey,
  another: LicenseKey,
  webhook: string,
  order: string,
  subscription: string,
  rating: string,
) {
  const ratings = await parts.get(t.ratings);
  const [products, licenses] = [await parts.get(t.sellerProducts), await parts.get(t.sellerLicenses)];
  const [{ usage }, webhooks] = [await parts.get(t.sellingUsage), await parts.get(t.webhooks)];
  const { domains, keys } = licenses;
  let rotated = another;
  const [orders, list] = [await parts.get(t.orders), await parts.get(t.orderList)];
  const subscriptions = await parts.get(t.sellerSubscriptions);
  const [claims, undoSendBack] = [await parts.get(t.paymentClaims), await parts.get(t.undoSendBack)];
  const offers = await parts.get(t.productOffers);
  const offer = { ...exampleOffer, slug: undefined };
  const tooLarge = { path: '/nowhere', kind: 'png', size: 2 ** 50 } as const;
  const alias = () => ({ text: must(parseAlias(`alias ${Math.random()}`)), kind: 'other', validUntil: null }) as const;
  const move: Move = { from: domain('a.example'), to: domain('b.example'), overlapHours: 0 };
  const confirmed = { confirmedAt: Date.now() };
  const cases: readonly (readonly [string, Action, (seller: Seller) => Promise<unknown>])[] = [
    ['products.list', 'products:manage', async (seller) => found(await products.list({ limit: 1 }, seller))],
    ['products.show', 'products:manage', (seller) => products.show(product, seller)],
    ['products.change', 'products:manage', (seller) => products.change(product, {}, seller)],
    ['products.transit', 'products:manage', (seller) => products.transit(product, 'resubmit', seller)],
    ['products.transit, rejecting', 'products:manage', (seller) => products.transit(product, 'reject', seller)],
    ['products.room', 'products:manage', (seller) => products.room(product, 1, seller)],
    ['products.versions', 'products:manage', (seller) => products.versions(product, { limit: 1 }, seller)],
    [
      'products.addVersion',
      'products:manage',
      (seller) => products.addVersion(product, { number: '/', notes: '' }, tooLarge, seller),
    ],
    ['products.deleteVersion', 'products:manage', (seller) => products.deleteVersion(product, '/', seller)],
    ['products.setThumbnail', 'products:manage', (seller) => products.setThumbnail(product, tooLarge, seller)],
    [
      'products.addPicture',
      'products:manage',
      (seller) => products.addPicture(product, { key: 'media/a.png', alt: 'a' }, seller),
    ],
    [
      'products.changePicture',
      'products:manage',
      (seller) => products.changePicture(product, 'media/none', 'first', seller),
    ],
    ['products.download', 'products:manage', (seller) => products.download(product, undefined, seller)],
    ['offers.list', 'products:manage', (seller) => offers.list(product, seller)],
    ['offers.add', 'products:manage', (seller) => offers.add(product, offer, seller)],
    ['offers.change', 'products:manage', (seller) => offers.change(product, 'none', { price: 1 }, seller)],
    ['offers.remove', 'products:manage', (seller) => offers.remove(product, 'none', seller)],
    ['licenses.list', 'licenses:manage', async (seller) => found(await licenses.list({ limit: 1 }, seller))],
    [
      'licenses.list, searching',
      'licenses:manage',
      async (seller) => found(await licenses.list({ search: license, limit: 1 }, seller)),
    ],
    ['licenses.show', 'licenses:manage', (seller) => licenses.show(license, seller)],
    ['licenses.events', 'licenses:manage', (seller) => licenses.events(license, { limit: 1 }, seller)],
    ['licenses.explain', 'licenses:manage', (seller) => licenses.explain(license, 'a.example', seller)],
    ['licenses.issue', 'licenses:manage', (seller) => licenses.issue({ product, count: 1, expiresAt: 1 }, seller)],
    ['licenses.change', 'licenses:manage', (seller) => licenses.change(license, { maxDomains: 2 }, seller)],
    ['licenses.transit', 'licenses:manage', (seller) => licenses.transit(license, 'suspend', seller)],
    ['licenses.setClock', 'licenses:manage', (seller) => licenses.setClock(license, { forced: null }, seller)],
    ['licenses.renew', 'licenses:manage', (seller) => licenses.renew(license, 1, seller)],
    [
      'licenses.bulk',
      'licenses:manage',
      async (seller) => (await licenses.bulk('reinstate', [license], seller))[0]?.result,
    ],
    ['domains.move', 'licenses:manage', (seller) => domains.move(license, move, seller)],
    ['keys.aliases', 'licenses:manage', async (seller) => keys.aliases(license, seller)],
    ['keys.addAlias', 'licenses:manage', (seller) => keys.addAlias(license, alias(), seller)],
    ['keys.removeAlias', 'licenses:manage', (seller) => keys.removeAlias(license, 0, seller)],
    [
      'keys.rotate',
      'licenses:manage',
      async (seller) => {
        const done = await keys.rotate(rotated, 0, seller);
        if (!isRefused(done)) rotated = done.shown.license.key;
        return done;
      },
    ],
    ['domains.remove', 'licenses:manage', (seller) => domains.remove(license, move.from, seller)],
    ['usage of a product', 'products:manage', (seller) => usage({ product }, { by: 'day' }, seller)],
    ['webhooks.list', 'webhooks:manage', async (seller) => found(await webhooks.list({ limit: 1 }, seller))],
    ['webhooks.show', 'webhooks:manage', (seller) => webhooks.show(webhook, seller)],
    ['webhooks.change', 'webhooks:manage', (seller) => webhooks.change(webhook, { description: 'x' }, seller)],
    ['webhooks.rotateSecret', 'webhooks:manage', (seller) => webhooks.rotateSecret(webhook, seller)],
    [
      'webhooks.rotateSeenSecret',
      'webhooks:manage',
      async (seller) => {
        const shown = await webhooks.show(webhook, seller);
        return isRefused(shown) ? shown : await webhooks.rotateSeenSecret(webhook, seller, shown.endpoint);
      },
    ],
    [
      'webhooks.revealSecret',
      'webhooks:manage',
      (seller) => webhooks.revealSecret(webhook, seller, { session: confirmed }),
    ],
    ['webhooks.sendSample', 'webhooks:manage', (seller) => webhooks.sendSample(webhook, 'license.issued', seller)],
    ['webhooks.deliveries', 'webhooks:manage', (seller) => webhooks.deliveries(webhook, { limit: 1 }, seller)],
    ['webhooks.delivery', 'webhooks:manage', (seller) => webhooks.delivery(webhook, '1', seller)],
    ['webhooks.redeliver', 'webhooks:manage', (seller) => webhooks.redeliver(webhook, '1', seller)],
    ['webhooks.replay', 'webhooks:manage', (seller) => webhooks.replay(webhook, Date.now() - 1, seller)],
    ['webhooks.figures', 'webhooks:manage', (seller) => webhooks.figures(webhook, 0, seller)],
    ['orders.list', 'orders:manage', async (seller) => found(await list.list({ limit: 1 }, seller))],
    ['orders.find', 'orders:manage', (seller) => list.find(order, seller)],
    ['orders.refund', 'orders:manage', (seller) => orders.refund(order, 1, seller)],
    ['orders.pay', 'orders:manage', (seller) => orders.pay(order, seller)],
    ['orders.cancel', 'orders:manage', (seller) => orders.cancel(order, seller)],
    ['orders.accept', 'orders:manage', (seller) => orders.accept(order, seller)],
    ['orders.look', 'orders:manage', (seller) => orders.look(order, seller)],
    ['claims.list', 'orders:manage', async (seller) => found(await claims.list({ limit: 1 }, seller))],
    ['claims.find', 'orders:manage', (seller) => claims.find(String(exampleClaim), seller)],
    ['claims.decide', 'orders:manage', (seller) => claims.decide(String(exampleClaim), { kind: 'take' }, seller)],
    ['undoSendBack', 'orders:manage', (seller) => undoSendBack(order, { transaction: '0x1' }, seller)],
    ['subscriptions.list', 'orders:manage', async (seller) => found(await subscriptions.list({ limit: 1 }, seller))],
    ['subscriptions.find', 'orders:manage', (seller) => subscriptions.find(subscription, seller)],
    ['subscriptions.cancel', 'orders:manage', (seller) => subscriptions.cancel(subscription, seller)],
    ['subscriptions.resume', 'orders:manage', (seller) => subscriptions.resume(subscription, seller)],
    ['ratings.ofProduct', 'products:manage', (seller) => ratings.ofProduct(product, undefined, 1, seller)],
    ['ratings.find', 'products:manage', (seller) => ratings.find(rating, seller)],
    ['ratings.reply', 'products:manage', (seller) => ratings.reply(rating, `${Math.random()}`, seller)],
    ['ratings.report', 'products:manage', (seller) => ratings.report(rating, 'x', seller)],
    ['usage of a license', 'licenses:manage', (seller) => usage({ license }, { by: 'day' }, seller)],
  ];
  return cases;
}

/** Plain users and administrators, suspended or not, for each of these users. */
function everybody(users: readonly User[]): Actor[] {
  return users.flatMap((one) =>
    ([null, 'admin'] as const).flatMap((role: Role | null) =>
      [null, 1].map((suspendedAt): Actor => ({ kind: 'user', user: { ...one, role, suspendedAt } })),
    ),
  );
}

describe('rights', () => {
  it('are checked by every use case of administrators: nobody can do what the table denies', async () => {
    const settings = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
    const parts = await compose(readConfig(settings));
    try {
      const accounts = await parts.get(t.accounts);
      const user = good(await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'free' }, operator));
      const other = good(await accounts.add({ name: 'Bob', email: 'bob@example.com', tier: 'free' }, operator));
      const templates = await parts.get(t.templateAdministration);
      const template = good(await templates.add(newTemplate({ tier: 'free' }), operator));
      const products = await parts.get(t.products);
      const { id } = good(await products.add({ title: 'Jar', ownerId: null }, operator));
      const log = await parts.get(t.auditLog);
      const cases = await useCases(parts, user, template, id);
      for (const [name, action, call] of cases) {
        for (const actor of [...everybody([user, other]), operator]) {
          const before = await log.list({ limit: 1 });
          const answer = await call(actor);
          const isForbidden = isRefused(answer) && answer.reason === 'forbidden';
          const who = actor.kind === 'operator' ? 'the operator' : JSON.stringify(actor.user);
          const owner = name === 'sessions.end' ? user.id : undefined; // The others are about no account's own things.
          expect(isForbidden, `${name} by ${who}`).to.equal(!may(actor, action, owner));
          if (isForbidden) expect(await log.list({ limit: 1 }), `${name} writes nothing`).to.deep.equal(before);
        }
      }
    } finally {
      await parts.close();
    }
  });

  it('of sellers are checked by every use case: products and licenses of others are unknown', async () => {
    const settings = { ...payable, DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
    const parts = await compose(readConfig(settings));
    try {
      const accounts = await parts.get(t.accounts);
      const user = good(await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'free' }, operator));
      const other = good(await accounts.add({ name: 'Bob', email: 'bob@example.com', tier: 'free' }, operator));
      const products = await parts.get(t.products);
      const product = good(await products.add({ title: 'Jar', ownerId: user.id }, operator));
      const terms = { productId: product.id, maxDomains: 1, expiresAt: null };
      const [issued, another] = good(await (await parts.get(t.issuing)).issueMany(terms, 2, operator));
      const sold = await parts.get(t.sellerProducts);
      const log = await parts.get(t.auditLog);
      const webhooks = await parts.get(t.webhooks);
      const receiver = { url: 'https://hooks.example.com', events: '*', product: null, description: '' } as const;
      const { endpoint } = good(await webhooks.create(receiver, { actor: { kind: 'user', user }, mode: 'live' }));
      const order = await addOrder({ orders: await parts.get(t.orderStore) }, product);
      await prepareClaim(parts, order.id);
      const subscription = await placeSubscription(parts, user.id, { way: 'manual' });
      const rating = must(
        await (await parts.get(t.ratingStore)).add(newRating(order), event('rating.written', product.slug, by, 1), {}),
      );
      const cases = await sellerCases(
        parts,
        product,
        must(issued),
        must(another),
        String(endpoint.id),
        String(order.id),
        String(subscription.id),
        String(rating.id),
      );
      for (const actor of [...everybody([user, other]), operator]) {
        for (const mode of keyModes) {
          const who = `in ${mode} by ${JSON.stringify(actor)}`;
          for (const [name, action, call] of cases) {
            const before = await log.list({ limit: 1 });
            const isReached = mode === 'live' && may(actor, action, user.id);
            const answer = await call({ actor, mode });
            expect(isRefused(answer) && unknown.includes(answer.reason), `${name} ${who}`).to.equal(!isReached);
            if (!isReached) expect(await log.list({ limit: 1 }), `${name} ${who} writes nothing`).to.deep.equal(before);
          }
          const isReached = mode === 'live' && may(actor, 'products:manage', user.id);
          const approval = await sold.transit(product.slug, 'reject', { actor, mode });
          const isForbidden = isRefused(approval) && approval.reason === 'forbidden';
          expect(isForbidden, who).to.equal(isReached && !may(actor, 'products:moderate'));
        }
      }
    } finally {
      await parts.close();
    }
  });
});
