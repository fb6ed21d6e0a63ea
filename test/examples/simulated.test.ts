import { expect } from 'chai';
import { createLicenseGuard } from '../../apps/sdk/index.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { type Simulated, startSimulation } from '../support/simulation.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { interpreters } from './interpreters.ts';

const domain = 'shop.example.com';

/** A client with an empty storage. `later`: hours after the first check. */
interface Client {
  readonly name: string;
  readonly skip?: string | undefined;
  open(
    simulated: Simulated,
    folder: TemporaryFolder,
  ): { activate(): Promise<unknown>; check(later: number): Promise<string | undefined> };
}

const clients: readonly Client[] = [
  // Without curl, PHP does the same, and takes longer.
  ...interpreters
    .filter(({ name }) => name !== 'PHP without curl')
    .map(
      ({ name, skip, run }): Client => ({
        ...{ name, skip },
        open({ url, key }, folder) {
          const asked = { url, key, domain, file: folder.file('license.json') };
          return {
            activate: () => run({ ...asked, act: 'activate' }),
            check: async (later) => (await run({ ...asked, shift: later * 3_600, act: 'fresh' })).state,
          };
        },
      }),
    ),
  {
    name: 'JavaScript',
    open({ url, key }) {
      const guard = createLicenseGuard({ url, licenseKey: key, domain, timeout: 60_000 });
      return { activate: () => guard.activate(), check: async () => (await guard.check({ fresh: true })).state };
    },
  },
];

for (const { name, skip, open } of clients) {
  needing(skipLong ?? skip).describe(`the example for ${name}, with latchkey simulate`, () => {
    let simulated: Simulated;
    let folder: TemporaryFolder;
    before(async () => {
      simulated = await startSimulation('--delay', '1');
      folder = await makeTemporaryFolder();
    });
    after(async () => {
      await simulated?.end();
      await folder?.remove();
    });

    it('is valid, goes on through each failure of the server, and stops when the license ends', async () => {
      const client = open(simulated, folder);
      await client.activate();
      expect(await client.check(0)).to.equal('valid');
      for (const scenario of ['outage', 'error'] as const) {
        await simulated.switchTo(scenario);
        expect(await client.check(1), scenario).to.equal('valid');
      }
      for (const scenario of ['expired', 'revoked', 'suspended'] as const) {
        await simulated.switchTo(scenario);
        expect(await client.check(2), scenario).to.equal('invalid');
      }
      await simulated.switchTo('valid');
      expect(await client.check(3)).to.equal('valid');
      await simulated.switchTo('limit');
      expect(await client.check(4)).to.equal('valid');
    });
  });
}
