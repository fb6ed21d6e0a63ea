import { expect } from 'chai';
import fc from 'fast-check';
import { event } from '../../core/events/event.ts';
import type { TemplateId, UserId } from '../../core/id.ts';
import { addTemplate, addUser, backends, openForAll } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt, must } from '../support/license-acts.ts';
import { runs } from '../support/runs.ts';

for (const backend of backends) {
  describe(`purchase ledger: ${backend.name}`, () => {
    const stores = openForAll(backend);
    const templates: TemplateId[] = [];
    /** Users whose ids are also ids of templates. */
    const twins: UserId[] = [];
    let users: UserId[];
    let email: string;
    let run = 0;

    before(async () => {
      for (const slug of ['dex', 'mint', 'sale']) templates.push((await addTemplate(stores, slug)).id);
      for (const name of ['Cleo', 'Dora']) twins.push((await addUser(stores, name)).id);
    });
    beforeEach(addBuyers);

    /** Two users without purchases. */
    async function addBuyers() {
      run++;
      const buyers = [await addUser(stores, `Ada-${run}`), await addUser(stores, `Bob-${run}`)];
      users = buyers.map(({ id }) => id);
      email = `of run ${run}`;
    }
    const bought = (userId: UserId, templateId: TemplateId, at = issuedAt) =>
      event('purchase.added', email, by, at, { userId, templateId });
    const buy = (userId: UserId, templateId: TemplateId, at = issuedAt) =>
      stores.purchases.add({ userId, templateId, at }, bought(userId, templateId, at));
    const told = () => stores.audit.list({ subject: email, limit: 99 });
    const held = async () => {
      const pairs = users.flatMap((user) => templates.map((template) => [user, template] as const));
      const answers = await Promise.all(
        pairs.map(([user, template]) => stores.purchases.has({ id: user }, { id: template })),
      );
      return pairs.filter((_, index) => answers[index]).map(String);
    };

    it('returns false if nothing was bought', async () => {
      expect(await held()).to.deep.equal([]);
    });

    it('does not confuse a user and a template with the same id', async () => {
      const [cleo, dora] = [must(twins[0]), must(twins[1])];
      const [dex, mint] = [must(templates[0]), must(templates[1])];
      expect(twins).to.deep.equal([dex, mint]);
      expect(await buy(cleo, mint)).to.equal(true);
      expect(await stores.purchases.has({ id: cleo }, { id: mint })).to.equal(true);
      expect(await stores.purchases.has({ id: dora }, { id: dex })).to.equal(false);
      expect(await buy(dora, dex)).to.equal(true);
    });

    it('returns exactly the purchases of each user, and whether each addition was new', async () => {
      const order = fc.array(fc.tuple(fc.nat(1), fc.nat(2)), { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(order, async (purchases) => {
          await addBuyers();
          const expected = new Set<string>();
          for (const [buyer, item] of purchases) {
            const [user, template] = [must(users[buyer]), must(templates[item])];
            expect(await buy(user, template)).to.equal(!expected.has(String([user, template])));
            expected.add(String([user, template]));
          }
          expect(await held()).to.have.members([...expected]);
        }),
        { numRuns: runs(12) },
      );
    });

    it('changes nothing and saves no event for a second purchase of the same template', async () => {
      const [user, template] = [must(users[0]), must(templates[0])];
      expect(await buy(user, template, issuedAt + 1)).to.equal(true);
      expect(await buy(user, template, issuedAt + 2)).to.equal(false);
      expect(await told()).to.deep.equal([bought(user, template, issuedAt + 1)]);
      expect(await held()).to.deep.equal([String([user, template])]);
    });

    it('treats exactly one of several concurrent equal purchases as new', async () => {
      const [user, other, template] = [must(users[0]), must(users[1]), must(templates[0])];
      const buyers = Array.from({ length: 12 }, (_, n) => (n % 4 === 0 ? other : user));
      const answers = await Promise.all(buyers.map((buyer) => buy(buyer, template)));
      expect(buyers.filter((_, index) => answers[index])).to.have.members([user, other]);
      expect(await told()).to.have.deep.members([bought(user, template), bought(other, template)]);
    });
  });
}
