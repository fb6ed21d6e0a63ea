import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import type { UserId } from '../../core/id.ts';
import { isRefused, refuse } from '../../core/refusal.ts';
import type { SellerPage } from '../../core/sellers/seller-page.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt as now } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

for (const backend of [...backends, ...sharedBackends]) {
  describe(`pages of sellers: ${backend.name}`, () => {
    const stores = openForEach(backend);
    let ada: UserId;
    let bob: UserId;
    beforeEach(async () => {
      ada = (await addLogin(stores, { email: 'ada@example.com' })).id;
      bob = (await addLogin(stores, { email: 'bob@example.com' })).id;
    });

    const pageOf = (userId: UserId, more: Partial<SellerPage> = {}): SellerPage => ({
      ...{ userId, slug: 'ada', name: 'Ada é', about: '# Ü', updatedAt: now },
      ...more,
    });
    const save = (page: SellerPage) =>
      stores.sellerPages.change(page.userId, () => ({
        after: page,
        event: event('user.seller_page_saved', 'a@example.com', by, now),
      }));

    it('are made and changed, and found by their user and by their slug', async () => {
      expect(await stores.sellerPages.findOf(ada)).to.equal(undefined);
      expect(await save(pageOf(ada))).to.deep.equal(pageOf(ada));
      const changed = pageOf(ada, { slug: 'lovelace', name: 'A', about: '', updatedAt: now + 1 });
      await stores.sellerPages.change(ada, (before) => {
        expect(before).to.deep.equal(pageOf(ada));
        return { after: changed, event: event('user.seller_page_saved', 'a@example.com', by, now) };
      });
      expect(await stores.sellerPages.findOf(ada)).to.deep.equal(changed);
      expect(await stores.sellerPages.findBySlug('lovelace')).to.deep.equal(changed);
      expect(await stores.sellerPages.findBySlug('ada')).to.equal(undefined);
      expect((await stores.audit.list({ limit: 1 }))[0]).to.include({ type: 'user.seller_page_saved' });
    });

    it('have an address of their own, also if two sellers take it at the same moment', async () => {
      const saved = await Promise.all([save(pageOf(ada)), save(pageOf(bob))]);
      const refused = saved.filter(isRefused);
      expect(refused.map(({ reason }) => reason)).to.deep.equal(['slug_taken']);
      expect(await stores.sellerPages.listed(9)).to.deep.equal([{ slug: 'ada', updatedAt: now }]);
      expect(await save(pageOf(saved[0] && isRefused(saved[0]) ? bob : ada))).to.include({ slug: 'ada' });
    });

    it('stay as they are after a refusal', async () => {
      await save(pageOf(ada));
      const refused = await stores.sellerPages.change(ada, () => refuse('no'));
      expect(isRefused(refused) && refused.reason).to.equal('no');
      expect(await stores.sellerPages.findOf(ada)).to.deep.equal(pageOf(ada));
    });

    it('are listed without those of sellers who are suspended', async () => {
      await save(pageOf(ada));
      await save(pageOf(bob, { slug: 'bob' }));
      const told = event('user.suspended', 'a@example.com', by, now);
      await stores.accounts.change(ada, (before) => ({ after: { ...before, suspendedAt: now }, event: told }));
      expect(await stores.sellerPages.listed(9)).to.deep.equal([{ slug: 'bob', updatedAt: now }]);
      expect(await stores.sellerPages.listed(0)).to.deep.equal([]);
    });
  });
}
