import { expect } from 'chai';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { good } from '../support/good.ts';
import { itLong } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

describe('the settings of the site in several processes', () => {
  itLong('count in each of them soon after a change, also in one that starts later', async () => {
    const folder = await makeTemporaryFolder();
    const config = readConfig({
      DATABASE_URL: `sqlite:${folder.file('shop.db')}`,
      FILES_URL: 'temporary:',
      LOG_LEVEL: 'silent',
    });
    const first = await compose(config);
    const second = await compose(config);
    const later = await compose(config);
    try {
      const [change, seen] = [await first.get(t.siteSettings), await second.get(t.currentSettings)];
      expect(seen.get().site_name).to.equal('Latchkey');
      good(await change.change({ site_name: 'Acme' }, operator));
      expect((await first.get(t.currentSettings)).get().site_name).to.equal('Acme');
      expect((await later.get(t.currentSettings)).get().site_name).to.equal('Acme');
      await eventually('the other process looks again', async () => seen.get().site_name === 'Acme');
    } finally {
      for (const parts of [first, second, later]) await parts.close();
      await folder.remove();
    }
  });
});
