import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { refuse } from '../../core/refusal.ts';
import { emptyBook, type WalletBook } from '../../core/usdc/wallet.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { issuedAt as now } from '../support/license-acts.ts';
import { sharedBackends } from '../support/shared-backends.ts';
import { addLogin } from '../support/sign-in.ts';

const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const one: WalletBook = {
  wallets: [{ chainId: 8453, address, next: { address, from: now } }],
  proof: { chainId: 8453, address, nonce: 'ab', at: now },
};

for (const backend of [...backends, ...sharedBackends]) {
  describe(`the wallet store: ${backend.name}`, () => {
    const stores = openForEach(backend);

    it('keeps the wallets of each seller and of the site apart', async () => {
      const ada = (await addLogin(stores, { email: 'ada@example.com' })).id;
      await stores.wallets.change(ada, () => ({ after: one }));
      expect(await stores.wallets.findOf(ada)).to.deep.equal(one);
      expect(await stores.wallets.findOf(null)).to.deep.equal(emptyBook);
      await stores.wallets.change(null, () => ({ after: { ...one, proof: null } }));
      expect(await stores.wallets.findOf(null)).to.deep.equal({ ...one, proof: null });
      expect(await stores.wallets.findOf(ada)).to.deep.equal(one);
    });

    it('writes nothing after a refusal, and the event in the transaction of a change', async () => {
      expect(await stores.wallets.change(null, () => refuse('no'))).to.deep.include({ reason: 'no' });
      expect(await stores.wallets.findOf(null)).to.deep.equal(emptyBook);
      const told = event('user.wallet_proved', 'site', by, now, { chain: 8453, address, from: null });
      await stores.wallets.change(null, () => ({ after: one, event: told }));
      expect(await stores.audit.list({ limit: 10 })).to.deep.equal([told]);
    });

    it('makes changes at once wait for each other, also the first ones', async () => {
      const add = (chainId: number) =>
        stores.wallets.change(null, (before) => ({
          after: { ...before, wallets: [...before.wallets, { chainId, address, next: null }] },
        }));
      await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)));
      const { wallets } = await stores.wallets.findOf(null);
      expect(wallets.map(({ chainId }) => chainId).sort((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 20 }, (_, n) => n),
      );
    });
  });
}
