import { expect } from 'chai';
import { compose, type Parts } from '../../../apps/wiring/compose.ts';
import { readConfig } from '../../../apps/wiring/config.ts';
import { t } from '../../../apps/wiring/tokens.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong, needing } from '../../support/required-service.ts';
import { type SqlPlace, sqlKinds } from '../../support/sql-databases.ts';

const first = 'a'.repeat(40);
const second = 'b'.repeat(40);

for (const { name, skip, make } of sqlKinds) {
  needing(skip).describe(`the key of leases and the secret of the service: ${name}`, () => {
    let place: SqlPlace;
    const open: Parts[] = [];
    beforeEach(async () => {
      place = await make();
    });
    afterEach(async () => {
      for (const parts of open.splice(0)) await parts.close();
      await place.remove();
    });

    /** The keys of leases in a process with these settings. */
    async function keysOf(settings: Record<string, string>) {
      const base = { LOG_LEVEL: 'silent', DATABASE_URL: place.url, FILES_URL: 'temporary:' };
      const parts = await compose(readConfig({ ...base, ...settings }));
      open.push(parts);
      return await parts.get(t.leaseKeys);
    }

    itLong('is sealed anew by the job, so that a former secret can be taken out of the settings', async () => {
      const { kid } = await (await keysOf({ SECRET_KEY: first })).currentKey();
      await (await keysOf({ SECRET_KEY: second, SECRET_KEY_FORMER: first })).keep();
      expect((await (await keysOf({ SECRET_KEY: second })).currentKey()).kid).to.equal(kid);
      expect(await errorOf((await keysOf({ SECRET_KEY: first })).currentKey())).to.be.instanceOf(Unavailable);
    });

    itLong('stays as it is if the job finds nothing to do, or cannot open the key', async () => {
      const keys = await keysOf({ SECRET_KEY: first });
      await keys.keep();
      const { kid } = await keys.currentKey();
      await keys.keep();
      expect(await errorOf((await keysOf({ SECRET_KEY: second })).keep())).to.be.instanceOf(Unavailable);
      expect((await (await keysOf({ SECRET_KEY: first })).currentKey()).kid).to.equal(kid);
    });

    if (name !== 'SQLite') {
      it('needs a secret that is kept: a process that made one for itself makes no key', async () => {
        const keys = await keysOf({});
        for (const act of [() => keys.currentKey(), () => keys.keep(), () => keys.rotate({ actor: 'test' })]) {
          const error = await errorOf(act());
          expect(error).to.be.instanceOf(Unavailable);
          expect(String(error)).to.include('Set SECRET_KEY');
        }
        expect(await keys.published()).to.deep.equal([]);
      });
    }
  });
}
