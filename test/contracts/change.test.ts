import { expect } from 'chai';
import type { ApiKey } from '../../core/accounts/api-key.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import {
  type ApiKeyId,
  type ProductId,
  type TemplateId,
  toApiKeyId,
  toProductId,
  toUserId,
  type UserId,
} from '../../core/id.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { ChangeById } from '../../core/ports/change.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import type { Template } from '../../core/templates/template.ts';
import { addTemplate, addUser, backends, openForEach, type Stores } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, newProduct } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';

type OpenStores = Omit<Stores, 'close'>;

/** A kind of object that a store changes with `change`. */
interface Subject<Id extends number, T extends { readonly id: Id }> {
  add(stores: OpenStores, name: string): Promise<T>;
  changeOf(stores: OpenStores): ChangeById<Id, T>;
  find(stores: OpenStores, thing: T): Promise<T | undefined>;
  /** Different values for all fields except the id. */
  readonly other: Omit<T, 'id'>;
  readonly nameOf: (thing: T) => string;
  readonly named: (thing: T, name: string) => T;
}

const users: Subject<UserId, User> = {
  add: addUser,
  changeOf: ({ accounts }) => accounts.change,
  find: ({ accounts }, { id }) => accounts.findById(id),
  other: {
    name: 'Zoë',
    email: 'zoe@example.com',
    tier: 'enterprise',
    createdAt: issuedAt + 9,
    role: 'admin',
    selling: 'invited',
    suspendedAt: issuedAt + 10,
    plan: { paid: 'enterprise', assigned: 'free' },
  },
  nameOf: ({ name }) => name,
  named: (user, name) => ({ ...user, name }),
};

const rights: Subject<UserId, User> = {
  ...users,
  changeOf:
    ({ accounts }) =>
    (id, decide) =>
      accounts.changeRights(id, decide),
};

const keys: Subject<ApiKeyId, ApiKey> = {
  async add(stores, name) {
    const { id: userId } = await addUser(stores, name);
    const never = { expiresAt: null, revokedAt: null, lastUsedAt: null };
    const bare = { mode: 'live', scopes: null, lastFour: '0000', ...never, replacedBy: null } as const;
    const key = await stores.accounts.addKey(
      { ...bare, userId, name, digest: name, prefix: name, createdAt: issuedAt },
      event('key.created', name, by, issuedAt),
    );
    if (isRefused(key)) throw new Error(key.reason);
    return key;
  },
  changeOf: ({ accounts }) => accounts.changeKey,
  find: async ({ accounts }, { digest }) => (await accounts.findKey(digest))?.key,
  other: {
    userId: toUserId(2),
    name: 'Other',
    mode: 'test',
    scopes: ['webhooks:write'],
    digest: 'other',
    prefix: 'dk_sk_test_ab12',
    lastFour: '9f3e',
    createdAt: issuedAt + 1,
    expiresAt: issuedAt + 2,
    revokedAt: issuedAt + 3,
    replacedBy: toApiKeyId(77),
    lastUsedAt: issuedAt + 4,
  },
  nameOf: ({ name }) => name,
  named: (key, name) => ({ ...key, name }),
};

const products: Subject<ProductId, Product> = {
  add: ({ products }, slug) =>
    products.add(newProduct({ slug }), (given) => event('product.added', given, by, issuedAt)),
  changeOf: ({ products }) => products.change,
  find: ({ products }, { id }) => products.findById(id),
  other: {
    slug: 'other',
    title: 'Other',
    tagline: 'Quite another',
    description: 'Nothing of it is the same.',
    price: 1,
    module: 'custom',
    variant: null,
    category: null,
    subcategory: null,
    tags: [],
    blockchains: ['Polygon', 'Base'],
    isSupported: false,
    status: 'rejected',
    ownerId: null,
    isLive: true,
    zip: null,
    thumbnail: 'images/other.png',
    version: null,
    isApproved: false,
    sellerName: null,
    rejectionReason: null,
    archivedAt: null,
    templateId: null,
    adapters: {
      lemonsqueezy: { isOn: false, storeId: null, productId: 9, variantId: 8 },
      edd: {
        ...{ isOn: true, itemId: 7, itemName: 'é "1"' },
        plugin: { requires: '6', tested: '6.5', requiresPhp: '8.1.2' },
      },
      gumroad: { isOn: true, productId: null, permalink: 'é' },
      slm: { isOn: false, secretKey: '5f8.1', itemReference: null },
    },
    bundle: [
      { productId: toProductId(3), offer: 'team' },
      { productId: toProductId(1), offer: null },
    ],
    prices: { kwd: 1_500 },
    leastPrices: { kwd: 0, usd: 500 },
    offers: [
      {
        ...{ slug: 'team', name: 'Team "é"', kind: 'once', price: 9_900, maxDomains: 9, updatesMonths: 12 },
        ...{ duration: { days: 30, from: 'issue' }, entitlements: ['pro'], isListed: false },
      },
    ],
    pictures: [{ key: 'media/a.png', alt: 'é "1"', shape: { width: 772, height: 250 } }],
    links: { demo: 'https://a.example/é?a=1', source: null, video: 'https://v.example' },
    terms: {
      maxDomains: 7,
      duration: null,
      hosts: { localHostsAreFree: false, previewHosts: [], wwwIsApex: true },
      movesPerMonth: 0,
      rotationsPerYear: 1,
      leaseHours: 24,
      onRefund: 'keep',
      ...{ domainProof: 'always', deactivation: 'cool_down', coolDownHours: 7 },
    },
    createdAt: issuedAt + 8,
    updatedAt: issuedAt + 9,
  },
  nameOf: ({ title }) => title,
  named: (product, title) => ({ ...product, title }),
};

const templates: Subject<TemplateId, Template> = {
  add: addTemplate,
  changeOf: ({ templates }) => templates.change,
  find: ({ templates }, { id }) => templates.findById(id),
  other: {
    slug: 'other',
    title: 'Other',
    description: '',
    category: 'nfts-games',
    tier: 'free',
    tags: [],
    parameters: [],
    createdAt: issuedAt + 9,
    downloadCount: 7,
    zip: 'templates/other.zip',
  },
  nameOf: ({ title }) => title,
  named: (template, title) => ({ ...template, title }),
};

for (const backend of [...backends, ...sharedBackends]) {
  describe(`change: ${backend.name}`, () => {
    const stores = openForEach(backend);
    testChanges('of a user', stores, users);
    testChanges('of the rights of a user', stores, rights);
    testChanges('of an API key', stores, keys);
    testChanges('of a product', stores, products);
    testChanges('of a template', stores, templates);
  });
}

function testChanges<Id extends number, T extends { readonly id: Id }>(
  what: string,
  stores: OpenStores,
  { add, changeOf, find, other, nameOf, named }: Subject<Id, T>,
): void {
  const told = (n: number) => event('template.updated', 'thing', by, issuedAt + n, { n });
  const change: ChangeById<Id, T> = (id, decide) => changeOf(stores)(id, decide);
  const events = () => stores.audit.list({ subject: 'thing', limit: 99 });

  describe(what, () => {
    let thing: T;
    let bystander: T;

    beforeEach(async () => {
      thing = await add(stores, 'One');
      bystander = await add(stores, 'Two');
    });

    it('passes the stored object to the decision, and saves all decided fields together with the event', async () => {
      const seen: T[] = [];
      const expected = { ...thing, ...other };
      const answer = await change(thing.id, (before) => {
        seen.push(before);
        return { after: expected, event: told(1) };
      });
      expect(seen).to.deep.equal([thing]);
      expect(answer).to.deep.equal(expected);
      expect(await find(stores, expected)).to.deep.equal(expected);
      expect(await find(stores, bystander)).to.deep.equal(bystander);
      expect(await events()).to.deep.equal([told(1)]);
    });

    it('changes nothing and saves no event if the decision is a refusal, and returns the refusal', async () => {
      const refusal = refuse('not_today', 'Not today.');
      expect(await change(thing.id, () => refusal)).to.deep.equal(refusal);
      expect(await find(stores, thing)).to.deep.equal(thing);
      expect(await events()).to.deep.equal([]);
    });

    it('changes nothing if the decision has no event, and returns the stored object', async () => {
      expect(await change(thing.id, (before) => ({ after: named(before, 'New') }))).to.deep.equal(thing);
      expect(await find(stores, thing)).to.deep.equal(thing);
      expect(await events()).to.deep.equal([]);
    });

    it('changes nothing if the decision throws, and makes the next change', async () => {
      const broken = change(thing.id, () => {
        throw new Error('broken');
      });
      expect(await broken.catch(String)).to.equal('Error: broken');
      expect(await find(stores, thing)).to.deep.equal(thing);
      expect(await change(thing.id, (after) => ({ after, event: told(2) }))).to.deep.equal(thing);
      expect(await events()).to.deep.equal([told(2)]);
    });

    it('returns undefined for an unknown id, and does not call the decision', async () => {
      const { id } = bystander;
      for (const unknown of [id + 1, 0, -1, 999_999_999_999_999]) {
        const answer = await change(unknown as Id, () => {
          throw new Error('There is nothing to decide.');
        });
        expect(answer).to.equal(undefined);
      }
    });

    it('loses no concurrent change, and saves an event for each in the order of the changes', async () => {
      const lengthBefore = nameOf(thing).length;
      await Promise.all(
        Array.from({ length: 16 }, (_, n) =>
          change(thing.id, (before) =>
            n % 4 === 3
              ? refuse('not_today')
              : { after: named(before, `${nameOf(before)}+`), event: told(nameOf(before).length - lengthBefore) },
          ),
        ),
      );
      expect(await find(stores, thing)).to.deep.equal(named(thing, `${nameOf(thing)}${'+'.repeat(12)}`));
      expect(await events()).to.deep.equal([...Array(12).keys()].reverse().map(told));
    });
  });
}
