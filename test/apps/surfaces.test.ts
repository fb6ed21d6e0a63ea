import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { compose, type Parts } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { itLong } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

async function composed(SURFACE: string): Promise<Parts> {
  const memory = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
  return await compose(readConfig({ ...memory, SURFACE }));
}

/** All surfaces of a process: with the paths that they own, and made. */
async function surfacesOf(SURFACE: string) {
  const parts = await composed(SURFACE);
  const lazy = await parts.get(t.surfaces);
  const surfaces = await Promise.all(lazy.map(async (one) => ({ ...(await one.make()), ...one })));
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

  itLong(
    'are made before the first request if they have endpoints with a shortcut, or deployed sites call them',
    async () => {
      const surfaces = await surfacesOf('all');
      const early = surfaces.filter(({ atStart }) => atStart);
      expect(early.map(({ name }) => name)).to.deep.equal(['lemonsqueezy', 'gumroad', 'edd', 'slm', 'license']);
      const short = surfaces.filter(({ endpoints }) => endpoints.some(({ answerQuery }) => answerQuery !== undefined));
      expect(short.map(({ name }) => name)).to.deep.equal(['license']);
    },
  );

  it('that deployed sites call open the storage for files before the first request, so a start fails without it', async () => {
    const folder = await makeTemporaryFolder();
    await writeFile(folder.file('taken'), '');
    const settings = { DATABASE_URL: 'memory:', FILES_URL: `disk:${folder.file('taken')}/files`, LOG_LEVEL: 'silent' };
    const parts = await compose(readConfig({ ...settings, SURFACE: 'license' }));
    const failed = await parts.get(t.listener).then(
      () => undefined,
      ({ code }) => code,
    );
    await parts.close().catch(() => undefined); // A part that could not be made cannot be closed.
    await folder.remove();
    expect(failed).to.equal('ENOTDIR');
  });
});
