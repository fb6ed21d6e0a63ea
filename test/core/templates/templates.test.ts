import { expect } from 'chai';
import fc from 'fast-check';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import type { Caller } from '../../../core/accounts/accounts.ts';
import { includes, type Tier, tierNames } from '../../../core/accounts/tier.ts';
import { plainUser } from '../../../core/accounts/user.ts';
import { toUserId } from '../../../core/id.ts';
import type { FileStorage } from '../../../core/ports/file-storage.ts';
import type { PurchaseCheck } from '../../../core/ports/purchase-check.ts';
import { isRefused, type Refused } from '../../../core/refusal.ts';
import { categories, type Template } from '../../../core/templates/template.ts';
import { createTemplateAdministration } from '../../../core/templates/template-administration.ts';
import { createTemplates } from '../../../core/templates/templates.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { addUser, openForEach, type Stores } from '../../support/backends.ts';
import { operator } from '../../support/by.ts';
import { inMemory, openStoresInMemory } from '../../support/in-memory.ts';
import { runs } from '../../support/runs.ts';

const lifetime = 900_000;

/** A storage whose links contain all their arguments. These tests use no other method. */
const files: Pick<FileStorage, 'link'> = { link: async (key, filename, until) => `${key} ${filename} ${until}` };

function start(
  { templates: store, purchases: ledger }: Pick<Stores, 'templates' | 'purchases'>,
  check: PurchaseCheck = ledger,
  storage = files,
) {
  const clock = createManualClock(1_000_000);
  const templates = createTemplates({
    store,
    purchases: check,
    files: storage as FileStorage,
    clock,
    linkLifetime: lifetime,
    linkOfOrder: async () => undefined,
  });
  return { clock, templates, administration: createTemplateAdministration({ store, ledger, clock }) };
}

const caller = (tier: Tier, id = 1): Caller => ({
  user: { ...plainUser, id: toUserId(id), name: 'Ada', email: `user${id}@example.com`, tier, createdAt: 0 },
  mode: 'live',
});

const terms = (more: Partial<Template> & Pick<Template, 'slug'>) => ({
  title: 'A template',
  description: 'For tests.',
  category: 'defi-dex' as const,
  tier: 'free' as const,
  tags: [],
  parameters: [],
  zip: `templates/${more.slug}.zip`,
  ...more,
});

function good<T>(value: T | Refused): T {
  if (isRefused(value)) throw new Error(value.reason);
  return value;
}

describe('templates', () => {
  const stores = openForEach(inMemory);

  it('are listed for their own tier and every higher tier, and can be filtered by category', async () => {
    const one = fc.record({ tier: fc.constantFrom(...tierNames), category: fc.constantFrom(...categories) });
    const filter = fc.option(fc.constantFrom(...categories, 'nothing'), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 12 }), filter, async (all, category) => {
        await using own = await openStoresInMemory();
        const { templates, administration } = start(own);
        for (const [index, more] of all.entries())
          await administration.add(terms({ slug: `t-${index}`, ...more }), operator);
        let below: string[] = [];
        for (const tier of tierNames) {
          const listed = await templates.list(caller(tier), category);
          const slugs = listed.map(({ slug }) => slug);
          expect(slugs).to.include.members(below);
          const expected = all
            .map((template, index) => ({ ...template, slug: `t-${index}` }))
            .filter((template) => includes(tier, template.tier))
            .filter((template) => category === undefined || template.category === category);
          expect(slugs).to.deep.equal(expected.map(({ slug }) => slug).reverse());
          below = slugs;
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it('are found by id and by slug by exactly the callers who see them in the list', async () => {
    const { templates, administration } = start(stores);
    for (const tier of tierNames) await administration.add(terms({ slug: tier, tier }), operator);
    for (const tier of tierNames) {
      const listed = new Set((await templates.list(caller(tier), undefined)).map(({ slug }) => slug));
      for (const slug of tierNames) {
        const { id } = good(await administration.find(slug, operator));
        for (const name of [slug, String(id)]) {
          const found = await templates.find(caller(tier), name);
          expect(!isRefused(found), `${tier} asks for ${slug}`).to.equal(listed.has(slug));
        }
      }
    }
  });

  it('above the caller’s tier are refused with the same words as templates that do not exist', async () => {
    const { templates, administration } = start(stores);
    await administration.add(terms({ slug: 'secret', tier: 'enterprise' }), operator);
    const refused = await templates.find(caller('free'), 'secret');
    expect(refused).to.include({ kind: 'refused', reason: 'not_found' });
    expect(await templates.find(caller('free'), 'never')).to.deep.equal(refused);
    expect(await templates.find(caller('free'), '99')).to.deep.equal(refused);
  });

  it('have valid and unique slugs, which are not digits only', async () => {
    const { administration } = start(stores);
    good(await administration.add(terms({ slug: 'dex' }), operator));
    expect(await administration.add(terms({ slug: 'dex' }), operator)).to.include({ reason: 'slug_taken' });
    for (const slug of ['2024', '', 'Dex', 'a b', '../x']) {
      expect(await administration.add(terms({ slug }), operator), slug).to.include({ reason: 'slug_not_usable' });
    }
  });
});

describe('a download', () => {
  const stores = openForEach(inMemory);

  it('returns a link that is valid for the configured time from now, and is counted each time', async () => {
    const { templates, administration, clock } = start(stores);
    const template = good(await administration.add(terms({ slug: 'dex' }), operator));
    for (const name of ['dex', String(template.id), 'dex']) {
      const link = await templates.download(caller('free'), name);
      expect(link).to.deep.equal({
        url: `templates/dex.zip dex.zip ${clock.now() + lifetime}`,
        filename: 'dex.zip',
      });
      clock.advance(1);
    }
    expect(good(await administration.find('dex', operator)).downloadCount).to.equal(3);
  });

  it('of a template that is not free requires a purchase on every tier, and with a purchase works on every tier', async () => {
    const { templates, administration } = start(stores);
    await addUser(stores, 'Ada');
    for (const tier of ['pro', 'enterprise'] as const) {
      const template = good(await administration.add(terms({ slug: tier, tier }), operator));
      for (const plan of tierNames) {
        expect(await templates.download(caller(plan), tier)).to.deep.equal({
          kind: 'refused',
          reason: 'not_purchased',
        });
      }
      await administration.addPurchase({ id: toUserId(1), email: 'user1@example.com' }, template, operator);
      expect(isRefused(await templates.download(caller('free', 1), tier))).to.equal(false);
      expect(isRefused(await templates.download(caller('enterprise', 2), tier))).to.equal(true);
      expect(good(await administration.find(tier, operator)).downloadCount).to.equal(1);
    }
  });

  it('of a free template never asks the purchase check', async () => {
    const { templates, administration } = start(stores, {
      has: async () => {
        throw new Error('asked');
      },
    });
    await administration.add(terms({ slug: 'dex' }), operator);
    expect(isRefused(await templates.download(caller('free'), 'dex'))).to.equal(false);
  });

  it('is refused and not counted while the purchase check is unavailable', async () => {
    const { templates, administration } = start(stores, {
      has: async () => {
        throw new Unavailable('out');
      },
    });
    await administration.add(terms({ slug: 'dex', tier: 'pro' }), operator);
    const answer = await templates.download(caller('enterprise'), 'dex');
    expect(answer).to.deep.equal({ kind: 'refused', reason: 'purchase_check_failed' });
    expect(good(await administration.find('dex', operator)).downloadCount).to.equal(0);
  });

  it('throws a bug of the purchase check, and does not treat it as “not purchased”', async () => {
    const bug = new Error('bug');
    const { templates, administration } = start(stores, {
      has: async () => {
        throw bug;
      },
    });
    await administration.add(terms({ slug: 'dex', tier: 'pro' }), operator);
    const thrown = await templates.download(caller('pro'), 'dex').catch((error) => error);
    expect(thrown).to.equal(bug);
  });

  it('is not counted if no link could be made', async () => {
    const storage = {
      link: async () => {
        throw new Unavailable('files');
      },
    };
    const { templates, administration } = start(stores, undefined, storage);
    await administration.add(terms({ slug: 'dex' }), operator);
    expect(await templates.download(caller('free'), 'dex').catch((error) => error)).to.be.instanceOf(Unavailable);
    expect(good(await administration.find('dex', operator)).downloadCount).to.equal(0);
  });

  it('of an unknown template is refused as not found', async () => {
    const { templates } = start(stores);
    for (const name of ['dex', '1', '', '9'.repeat(30)]) {
      expect(await templates.download(caller('pro'), name)).to.include({ reason: 'not_found' });
    }
  });
});

describe('the administration of templates', () => {
  const stores = openForEach(inMemory);

  it('changes only the given fields, and records which fields they are', async () => {
    const { administration } = start(stores);
    const before = good(await administration.add(terms({ slug: 'dex', tags: ['a'] }), operator));
    await administration.update('dex', { title: 'New', tier: 'pro' }, operator);
    const after = good(await administration.find(String(before.id), operator));
    expect(after).to.deep.equal({ ...before, title: 'New', tier: 'pro' });
    const [last] = await stores.audit.list({ limit: 1 });
    expect(last).to.deep.include({ type: 'template.updated', data: { fields: 'title, tier' } });
    expect(await administration.update('nothing', { title: 'x' }, operator)).to.include({ reason: 'not_found' });
  });

  it('adds a purchase only once', async () => {
    const { administration } = start(stores);
    await addUser(stores, 'Ada');
    const template = good(await administration.add(terms({ slug: 'dex', tier: 'pro' }), operator));
    const user = { id: toUserId(1), email: 'user1@example.com' };
    expect(await administration.addPurchase(user, template, operator)).to.equal(true);
    expect(await administration.addPurchase(user, template, operator)).to.equal(false);
    const told = await stores.audit.list({ limit: 10 });
    expect(told.filter(({ type }) => type === 'purchase.added')).to.have.length(1);
  });

  it('lists the templates of every tier', async () => {
    const { administration } = start(stores);
    for (const tier of tierNames) await administration.add(terms({ slug: tier, tier }), operator);
    expect(good(await administration.list(operator)).map(({ tier }) => tier)).to.have.members([...tierNames]);
  });
});
