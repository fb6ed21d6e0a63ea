import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { addTemplate } from '../../../support/backends.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import type { Fields, WebAnswer } from '../../../support/web-client.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

describe('a form that was open in two tabs', () => {
  let service: DashboardService;
  let root: Person;
  before(async () => {
    service = await startDashboardService();
    root = await service.signedInUser({ role: 'admin' });
  });
  after(() => service.close());

  const value = (page: WebAnswer, name: string) =>
    page.forms.find(({ names }) => names.includes(name))?.values[name]?.join();

  /** Each form with what the first tab and the second tab type, and a field that only the first tab changes. */
  const forms: readonly {
    readonly name: string;
    make(): Promise<string>;
    readonly first: Fields;
    readonly second: Fields;
    /** What the second tab types so that only one of both can be saved, if they are saved field by field. */
    readonly clash?: Fields;
    readonly untouched?: string;
  }[] = [
    {
      name: 'product',
      async make() {
        const { id } = good(
          await service.products.add({ title: 'House', ownerId: (await root.me()).login.id }, operator),
        );
        const path = `/selling/live/products/${id}/edit`;
        const listing = { tagline: 'One', description: 'A house of twenty letters.', module: 'dapp', price: '5' };
        expect((await root.browser.fill(path, listing)).status).to.equal(303);
        return path;
      },
      first: { title: 'First', price: '49.90' },
      second: { title: 'Second', tagline: 'Two' },
      untouched: 'price',
    },
    {
      name: 'offer of a product',
      async make() {
        const { id } = good(
          await service.products.add({ title: 'Offered', ownerId: (await root.me()).login.id }, operator),
        );
        const path = `/selling/live/products/${id}/offers`;
        expect((await root.browser.fill(`${path}/new`, { name: 'Team', price: '5' })).status).to.equal(303);
        return `${path}/team/edit`;
      },
      first: { name: 'First', price: '49.90' },
      second: { name: 'Second', max_domains: '7' },
      untouched: 'price',
    },
    {
      name: 'clients of Lemon Squeezy',
      async make() {
        const { id } = good(
          await service.products.add({ title: 'Moved in', ownerId: (await root.me()).login.id }, operator),
        );
        return `/selling/live/products/${id}/lemonsqueezy`;
      },
      first: { store: '12', product: '34' },
      second: { store: '56', variant: '78' },
      untouched: 'product',
    },
    {
      name: 'clients of EDD Software Licensing',
      async make() {
        const { id } = good(
          await service.products.add({ title: 'Moved in', ownerId: (await root.me()).login.id }, operator),
        );
        return `/selling/live/products/${id}/edd`;
      },
      first: { item: '12', name: 'Jar' },
      second: { item: '56' },
      untouched: 'name',
    },
    {
      name: 'clients of Gumroad',
      async make() {
        const { id } = good(
          await service.products.add({ title: 'Moved in', ownerId: (await root.me()).login.id }, operator),
        );
        return `/selling/live/products/${id}/gumroad`;
      },
      first: { product: 'aB==', permalink: 'jar' },
      second: { product: 'cD==' },
      untouched: 'permalink',
    },
    {
      name: 'clients of Software License Manager',
      async make() {
        const { id } = good(
          await service.products.add({ title: 'Moved in', ownerId: (await root.me()).login.id }, operator),
        );
        return `/selling/live/products/${id}/slm`;
      },
      first: { secret: '5f8.1', reference: 'jar' },
      second: { secret: '5f8.2' },
      untouched: 'reference',
    },
    {
      name: 'webhook',
      async make() {
        const made = await root.browser.fill('/selling/live/webhooks/new', {
          ...{ url: 'https://example.com/hook', access: 'all', description: '' },
        });
        const link = made.links.find(({ href }) => /webhooks\/\d+$/.test(href));
        return `/selling/live/webhooks/${link?.href.split('/').at(-1)}/edit`;
      },
      first: { url: 'https://example.com/first', description: 'First' },
      second: { url: 'https://example.com/second' },
      untouched: 'description',
    },
    {
      name: 'license',
      async make() {
        const product = good(await service.products.add({ title: 'Sold', ownerId: null }, operator));
        const seller = { actor: operator, mode: 'live' } as const;
        const wish = { product: product.slug, count: 1 };
        const [license] = good(await (await service.parts.get(t.sellerLicenses)).issue(wish, seller));
        return `/selling/live/licenses/${license?.license.key}/edit`;
      },
      first: { max_domains: '5', reference: 'first' },
      second: { max_domains: '7' },
      untouched: 'reference',
    },
    {
      name: 'updates and entitlements of a license',
      async make() {
        const product = good(await service.products.add({ title: 'Updated', ownerId: null }, operator));
        const seller = { actor: operator, mode: 'live' } as const;
        const wish = { product: product.slug, count: 1, entitlements: ['pro'] };
        const [license] = good(await (await service.parts.get(t.sellerLicenses)).issue(wish, seller));
        return `/selling/live/licenses/${license?.license.key}/edit`;
      },
      first: { updates_until: '2031-01-31', entitlements: 'basic' },
      second: { updates_until: '2032-01-31' },
      untouched: 'entitlements',
    },
    {
      name: 'plan of a user',
      make: async () => `/admin/users/${(await (await service.signedInUser()).me()).login.id}/plan`,
      first: { tier: 'pro' },
      second: { tier: 'enterprise' },
    },
    {
      name: 'template of a product',
      async make() {
        const templates = await service.parts.get(t.templateStore);
        for (const slug of ['one', 'two']) {
          if ((await templates.findBySlug(slug)) === undefined) await addTemplate({ templates }, slug);
        }
        const { id } = good(await service.products.add({ title: 'Templated', ownerId: null }, operator));
        return `/admin/products/${id}/template`;
      },
      first: { template: 'one' },
      second: { template: 'two' },
    },
    {
      name: 'settings of the site',
      async make() {
        const path = '/admin/settings/appearance';
        expect((await root.browser.fill(path, { description: '' })).status).to.equal(303);
        return path;
      },
      first: { description: 'First' },
      second: { site_name: 'Second', accent: '#7a1fa2' },
      clash: { description: 'Second' },
      untouched: 'description',
    },
    {
      name: 'who may create an account and sell',
      make: async () => '/admin/settings/people',
      first: { sign_up: 'closed' },
      second: { sign_up: 'invite', selling: 'administrators' },
    },
    {
      name: 'own name',
      make: async () => '/account/security/name',
      first: { name: 'First' },
      second: { name: 'Second' },
    },
  ];

  for (const { name, make, first, second, clash, untouched } of forms) {
    itLong(`says what changed, keeps what was typed, and is saved when it is sent again: ${name}`, async () => {
      const path = await make();
      const tab = await root.browser.get(path);
      expect((await root.browser.fill(path, first)).status).to.equal(303);
      const answer = await root.browser.submit(tab, second);
      expect(answer.status, answer.text).to.equal(409);
      expect(answer.alert).to.include('This was changed while you had the form open');
      expect(Object.keys(answer.faults)).to.have.members(Object.keys(first));
      for (const [field, typed] of Object.entries(second)) expect(value(answer, field), field).to.equal(typed);
      if (untouched !== undefined) {
        expect(value(answer, untouched)).to.equal(first[untouched]);
        expect(answer.faults[untouched]).to.include(`It is now “${first[untouched]}”.`);
      }
      const now = await root.browser.get(path);
      for (const [field, typed] of Object.entries(first)) expect(value(now, field), field).to.equal(typed);
      expect((await root.browser.submit(answer)).status).to.equal(303);
      const after = await root.browser.get(path);
      for (const [field, typed] of Object.entries({ ...first, ...second })) {
        expect(value(after, field), field).to.equal(typed);
      }
    });

    it(`is saved once if both are sent at the same time: ${name}`, async () => {
      const path = await make();
      const tabs = [await root.browser.get(path), await root.browser.get(path)];
      const typed = [first, { ...second, ...clash }];
      const answers = await Promise.all(tabs.map((tab, at) => root.browser.submit(tab, typed[at])));
      expect(answers.map(({ status }) => status)).to.have.members([303, 409]);
    });

    it(`is saved at once if nothing has changed, also twice in a row: ${name}`, async () => {
      const path = await make();
      for (const typed of [first, second]) expect((await root.browser.fill(path, typed)).status).to.equal(303);
    });
  }
});
