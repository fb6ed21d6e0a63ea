import { expect } from 'chai';
import { createCheckPlaces, createImportTurns } from '../../../core/selling/import-turns.ts';
import { deferred } from '../../support/deferred.ts';

describe('places for checks of files', () => {
  let now: number;
  let inPlace: ReturnType<typeof createCheckPlaces>;
  beforeEach(() => {
    now = 1_000_000;
    inPlace = createCheckPlaces({ now: () => now });
  });

  /** Starts a check, and returns a function that ends it and returns its result. */
  const start = (actor: string) => {
    const end = deferred<string>();
    const result = inPlace(actor, () => end.promise);
    return async () => {
      end.resolve('checked');
      return await result;
    };
  };
  const refused = { kind: 'refused', reason: 'checks_running' };

  it('are two', async () => {
    const [ada, grace, eve] = [start('Ada'), start('Grace'), start('Eve')];
    expect(await eve())
      .to.include(refused)
      .and.have.nested.property('figures.retry_after', 30);
    expect([await ada(), await grace()]).to.deep.equal(['checked', 'checked']);
  });

  it('are one for somebody who has checked a file in the last five minutes', async () => {
    await start('Ada')();
    const grace = start('Grace');
    expect(await start('Ada')()).to.include(refused);
    const eve = start('Eve');
    expect([await grace(), await eve()]).to.deep.equal(['checked', 'checked']);

    now += 5 * 60_000;
    const again = start('Grace');
    expect(await start('Ada')()).to.equal('checked');
    expect(await again()).to.equal('checked');
  });

  it('are still one for somebody if nobody else checks', async () => {
    await start('Ada')();
    expect(await start('Ada')()).to.equal('checked');
  });

  it('become free if a check fails', async () => {
    for (const _ of [1, 2, 3]) {
      const failed = inPlace('Ada', () => Promise.reject(new Error('no file')));
      expect(await failed.catch(({ message }: Error) => message)).to.equal('no file');
    }
  });
});

describe('turns for imports of files', () => {
  let now: number;
  let inTurn: ReturnType<typeof createImportTurns>;
  beforeEach(() => {
    now = 1_000_000;
    inTurn = createImportTurns({ now: () => now });
  });
  const running = { kind: 'refused', reason: 'import_running' } as const;
  const imports = (actor: string) => inTurn<string>(actor, async () => 'imported');
  const isRefused = (actor: string) => inTurn<string>(actor, async () => running);

  it('are for others first, who were refused, if somebody has just imported', async () => {
    expect([await imports('Ada'), await isRefused('Grace')]).to.deep.equal(['imported', running]);
    expect(await imports('Ada'))
      .to.include(running)
      .and.have.nested.property('figures.retry_after', 30);
    expect([await imports('Grace'), await imports('Ada')]).to.deep.equal(['imported', 'imported']);
  });

  it('come again after five minutes, if the others do not', async () => {
    await imports('Ada');
    await isRefused('Grace');
    now += 5 * 60_000;
    expect(await imports('Ada')).to.equal('imported');
  });

  it('are for everybody if nobody waits, also after an import that failed', async () => {
    const failed = inTurn('Ada', () => Promise.reject(new Error('broken off')));
    expect(await failed.catch(({ message }: Error) => message)).to.equal('broken off');
    expect([await imports('Ada'), await imports('Ada'), await isRefused('Ada')]).to.deep.equal([
      'imported',
      'imported',
      running,
    ]);
    expect(await imports('Ada')).to.equal('imported');
  });
});
