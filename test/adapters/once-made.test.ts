import { expect } from 'chai';
import { onceMade } from '../../adapters/once-made.ts';

describe('what is made once', () => {
  it('is made for all who ask at the same time, and again only after a failure', async () => {
    let tries = 0;
    const get = onceMade(async () => {
      tries += 1;
      if (tries === 1) throw new Error('planted');
      return { tries };
    });
    const failed = await Promise.allSettled([get(), get()]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(tries).to.equal(1);
    const [one, other] = await Promise.all([get(), get()]);
    expect(one).to.equal(other);
    expect(await get()).to.deep.equal({ tries: 2 });
  });
});
