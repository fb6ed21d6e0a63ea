import { expect } from 'chai';
import type { PrintedSheet } from '../../../adapters/contracts/invoice-sheet.ts';
import { createPrintSheet } from '../../../adapters/pdf/print.ts';
import { TooMuchAtOnce, Unavailable } from '../../../core/unavailable.ts';
import { itLong } from '../../support/required-service.ts';

const sheet = (title: string): PrintedSheet => ({
  ...{ title, warning: undefined, parties: [], facts: [], columns: ['Item', 'Amount'], sums: [], notes: [] },
  ...{ items: [{ text: 'Swap', under: [], amount: '$1.00' }], paper: 'A4', site: 'Shop' },
  ...{ pageWords: ['Page', 'of'], missing: '' },
});

describe('the process that makes PDFs', () => {
  itLong('has a place for those who are signed in, however many guests from however many networks wait', async () => {
    const print = createPrintSheet(() => undefined);
    let done = 0;
    const guests = Array.from({ length: 300 }, (_, n) =>
      print(sheet(`Guest ${n}`), { address: `198.51.${n}.7` }).then(
        () => ++done,
        (error: unknown) => error,
      ),
    );
    const files = await Promise.all([1, 2, 3].map((account) => print(sheet(`Seller ${account}`), { account })));
    for (const file of files) expect(file?.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(done, 'at most one guest between two sellers').to.be.at.most(files.length + 1);
    const results = await Promise.all(guests);
    const refused = results.filter((one) => typeof one !== 'number');
    for (const one of refused) expect(one instanceof TooMuchAtOnce || one instanceof Unavailable).to.equal(true);
    expect(results.length - refused.length).to.equal(21);
  });

  it('lets one network and one account wait for few files', async () => {
    const print = createPrintSheet(() => undefined);
    for (const [who, most] of [
      [(n: number) => ({ address: `2001:db8:7:${n}::1` }), 3],
      [() => ({ account: 7 }), 5],
    ] as const) {
      const all = await Promise.allSettled(Array.from({ length: 9 }, (_, n) => print(sheet(`${most} ${n}`), who(n))));
      expect(all.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(most);
    }
  });
});
