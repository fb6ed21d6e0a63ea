import { expect } from 'chai';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';

async function composed(SURFACE: string): Promise<Parts> {
  const memory = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
  return await compose(readConfig({ ...memory, SURFACE }));
}

describe('surfaces', () => {
  it('own the paths of all their endpoints, and come before others that own them too', async () => {
    const parts = await composed('all');
    const surfaces = await parts.get(t.surfaces);
    const lost = surfaces.flatMap((surface) =>
      surface.endpoints
        .flatMap(({ paths }) => paths)
        .filter((path) => surfaces.find(({ owns }) => owns(path.replaceAll(/[:*]\w+/g, 'x'))) !== surface)
        .map((path) => `${surface.name}: ${path}`),
    );
    await parts.close();
    expect(lost).to.deep.equal([]);
    expect(surfaces.map(({ name }) => name)).to.deep.equal(
      [
        'health',
        'hooks',
        'dashboard',
        'pages',
        'storefront',
        'account',
        'lemonsqueezy',
        'gumroad',
        'edd',
        'slm',
        'license',
      ], // Their names in the metrics.
    );
  });

  it('are closed in processes that do not serve them', async () => {
    const parts = await composed('license');
    const surfaces = await parts.get(t.surfaces);
    await parts.close();
    expect(surfaces.map(({ name }) => name).filter((name) => name !== 'closed')).to.deep.equal([
      'health',
      'lemonsqueezy',
      'gumroad',
      'edd',
      'slm',
      'license',
    ]);
    expect(surfaces.filter(({ name }) => name === 'closed').flatMap(({ endpoints }) => endpoints)).to.deep.equal([]);
  });
});
