import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { namesIn, tableOf } from '../../../support/guide-tables.ts';
import { itLong } from '../../../support/required-service.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

const day = 86_400_000;

describe('the guide for those who move from EDD Software Licensing', () => {
  let service: AccountService;
  let key: string;
  let change: (path: string) => Promise<unknown>;
  before(async () => {
    service = await startAccountService();
    const [ada, root] = [await service.account(), await service.administrator()];
    change = (path) => ada.post(`/api/licenses/${key}/${path}`, {});
    await ada.submit('/api/marketplace/publish', listingForm({ title: 'Jar' }));
    await service.products.change('jar', 'approve', operator);
    await root.send('/api/products/jar/adapters/edd', {
      ...{ method: 'PUT', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({
        ...{ enabled: true, item_id: 8, item_name: 'Jar' },
        ...{ requires: '6.0', tested: '6.5', requires_php: '8.1' },
      }),
    });
    const expires = new Date(service.clock.now() + day).toISOString();
    const wish = { product: 'jar', expires_at: expires, holder: { email: 'grace@example.com', name: 'Grace' } };
    key = (await ada.post('/api/licenses', wish)).body.data[0].key;
  });
  after(() => service.close());

  const call = async (action: string, fields: Record<string, string> = {}) => {
    const parameters = { edd_action: action, license: key, item_id: '8', url: 'https://shop.example', ...fields };
    return (await service.send('/edd', { method: 'POST', body: new URLSearchParams(parameters) })).body;
  };
  const fieldsOf = async (heading: string) => (await tableOf('edd.md', heading)).flatMap(([names]) => namesIn(names));

  itLong('has each error and status', async () => {
    const two = (fields: Record<string, string>) => async () => [
      (await call('activate_license', fields)).error ?? '',
      (await call('check_license', fields)).license,
    ];
    const checked = (fields: Record<string, string>) => async () => ['', (await call('check_license', fields)).license];
    const inactive = await checked({})();
    await call('activate_license');
    const cases = [
      two({ license: 'LIC-0000-0000-0000-0000' }),
      two({ item_id: '9' }),
      two({ item_id: '', item_name: 'Cup' }),
      async () => {
        await change('suspend');
        const told = await two({})();
        await change('reinstate');
        return told;
      },
      async () => {
        service.clock.advance(day);
        const told = await two({})();
        service.clock.advance(-day);
        return told;
      },
      two({ url: '' }),
      two({ url: 'https://other.example' }),
      async () => inactive,
      checked({ url: 'https://other.example' }),
    ];
    const told: string[][] = [];
    for (const one of cases) told.push(await one());
    const rows = await tableOf('edd.md', 'Errors');
    expect(told).to.deep.equal(rows.map(([, error, status]) => [namesIn(error)[0] ?? '', namesIn(status)[0]]));
  });

  it('has each field of the answers, and says which are always empty', async () => {
    const answers = [
      await call('activate_license'),
      await call('check_license'),
      await call('activate_license', { url: 'https://other.example' }),
    ];
    const rows = await tableOf('edd.md', 'Fields of answers');
    for (const body of answers) {
      const { error: _, ...fields } = body;
      expect(Object.keys(fields)).to.have.members(rows.flatMap(([names]) => namesIn(names)));
      for (const [names, , here = ''] of rows) {
        const [name = ''] = namesIn(names);
        expect(body[name] === '', name).to.equal(here === 'empty');
        if (here === '0' || here === 'false') expect(String(body[name])).to.equal(here);
      }
    }
    const deactivated = await call('deactivate_license');
    expect(rows.flatMap(([names]) => namesIn(names))).to.include.members(Object.keys(deactivated));
  });

  it('has each field of get_version', async () => {
    await call('activate_license');
    const fields = await fieldsOf('Fields of get_version');
    const told = [...Object.keys(await call('get_version')), ...Object.keys(await call('get_version', { url: '' }))];
    expect(fields).to.have.members([...new Set(told)]);
  });

  it('has each field of the metadata, and says which are left out', async () => {
    await call('activate_license');
    const metadataOf = async (url: string) =>
      (await service.send(`/edd/jar/info.json?${new URLSearchParams({ license: key, url })}`)).body;
    const told = [
      ...Object.keys(await metadataOf('https://shop.example')),
      ...Object.keys(await metadataOf('https://other.example')),
    ];
    const rows = await tableOf('edd.md', 'Fields of the metadata');
    const isThere = ([, , here]: string[]) => here !== 'left out';
    expect(rows.filter(isThere).flatMap(([names]) => namesIn(names))).to.have.members([...new Set(told)]);
  });
});
