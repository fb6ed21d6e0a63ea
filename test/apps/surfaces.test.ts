import { expect } from 'chai';
import type { Surface } from '../../adapters/http/surface.ts';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';

async function composed(SURFACE: string): Promise<Parts> {
  const memory = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
  return await compose(readConfig({ ...memory, SURFACE }));
}

/** All surfaces of a process, each in its place. */
async function surfacesOf(SURFACE: string): Promise<Surface[]> {
  const parts = await composed(SURFACE);
  const places = await parts.get(t.surfaces);
  const surfaces = await Promise.all(places.map(({ surface }) => surface()));
  expect(places.map(({ owns }) => owns)).to.deep.equal(surfaces.map(({ owns }) => owns));
  await parts.close();
  return surfaces;
}

describe('surfaces', () => {
  it('own the paths of all their endpoints, and come before others that own them too', async () => {
    const surfaces = await surfacesOf('all');
    const lost = surfaces.flatMap((surface) =>
      surface.endpoints
        .flatMap(({ paths }) => paths)
        .filter((path) => surfaces.find(({ owns }) => owns(path.replaceAll(/[:*]\w+/g, 'x'))) !== surface)
        .map((path) => `${surface.name}: ${path}`),
    );
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
    const surfaces = await surfacesOf('license');
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

  it('are made before the first request if they have endpoints with a shortcut, and only those', async () => {
    const parts = await composed('all');
    const places = await parts.get(t.surfaces);
    const surfaces = await Promise.all(places.map(({ surface }) => surface()));
    await parts.close();
    const direct = surfaces.filter(({ endpoints }) => endpoints.some(({ answerQuery }) => answerQuery !== undefined));
    expect(places.filter(({ isDirect }) => isDirect).map(({ owns }) => owns)).to.deep.equal(
      direct.map(({ owns }) => owns),
    );
  });
});
