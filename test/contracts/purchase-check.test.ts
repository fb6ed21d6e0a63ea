import { expect } from 'chai';
import { toTemplateId, toUserId } from '../../core/id.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { type Bought, type Buyer, checkKinds, type OpenCheck } from '../support/purchase-checks.ts';

const ada = { id: toUserId(7), email: 'ada+dex&co@example.com' };
const bob = { id: toUserId(8), email: 'bob@exämple.com' };
const cleo = { id: toUserId(78), email: 'cleo=7@example.com' };
const users = [ada, bob, cleo];

const dex = { id: toTemplateId(8), slug: 'uniswap-dex' };
const mint = { id: toTemplateId(7), slug: 'nft-mint' };
const sale = { id: toTemplateId(87), slug: 'token-sale' };
const templates = [dex, mint, sale];

for (const kind of checkKinds) {
  describe(`purchase check: ${kind.name}`, () => {
    let open: OpenCheck;

    beforeEach(async () => {
      open = await kind.open();
    });
    afterEach(() => open.close());

    const pairs = users.flatMap((user) => templates.map((template) => [user, template] as const));
    const told = async () => {
      const answers = await Promise.all(pairs.map(([user, template]) => open.check.has(user, template)));
      return pairs.filter((_, index) => answers[index]);
    };
    const outcome = (user: Buyer, template: Bought) => open.check.has(user, template).catch((error) => error);

    it('returns false for every user and template if nothing was bought', async () => {
      expect(await told()).to.deep.equal([]);
    });

    it('returns the correct result for concurrent checks', async () => {
      const bought = pairs.filter(([user, template]) => (user.id + 2 * template.id) % 3 === 0 || user === ada);
      expect(bought).to.have.lengthOf.within(3, 8);
      for (const [user, template] of bought) await open.buy(user, template);
      expect(await told()).to.deep.equal(bought);
    });

    for (const [user, template] of pairs) {
      it(`does not confuse the purchase of template ${template.id} by user ${user.id} with any other purchase`, async () => {
        await open.buy(user, template);
        expect(await told()).to.deep.equal([[user, template]]);
      });
    }

    it('finds a new purchase at once, even after it returned false', async () => {
      expect(await open.check.has(ada, dex)).to.equal(false);
      await open.buy(ada, dex);
      expect(await open.check.has(ada, dex)).to.equal(true);
    });

    it('throws Unavailable during an outage, for bought and other templates, and works again afterwards', async () => {
      await open.buy(bob, sale);
      expect(await open.check.has(bob, sale)).to.equal(true);
      open.setOut(true);
      expect(await outcome(bob, sale)).to.be.an.instanceOf(Unavailable);
      expect(await outcome(bob, mint)).to.be.an.instanceOf(Unavailable);
      open.setOut(false);
      expect(await open.check.has(bob, sale)).to.equal(true);
      expect(await open.check.has(bob, mint)).to.equal(false);
    });
  });
}
