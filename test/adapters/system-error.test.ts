import { expect } from 'chai';
import { translatedS3 } from '../../adapters/files/s3/errors.ts';
import { translate } from '../../adapters/sql/errors.ts';
import { isNetworkError } from '../../adapters/system-error.ts';
import { Unavailable } from '../../core/unavailable.ts';

const codes = [
  ...['EAI_AGAIN', 'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EPIPE'],
  'ETIMEDOUT',
];

describe('an error of the network', () => {
  for (const code of codes) {
    it(`with the code ${code} is an outage for the database and for the file storage`, async () => {
      const error = Object.assign(new Error('planted'), { code });
      const thrown = await translate(() => Promise.reject(error)).catch((cause: unknown) => cause);
      for (const outage of [thrown, translatedS3(error)]) {
        expect(outage).to.be.instanceOf(Unavailable).with.property('cause', error);
      }
    });
  }

  it('is recognized only by such a code', () => {
    const others = [new Error('ECONNRESET'), Object.assign(new Error(), { code: 'ENOENT' }), { code: 'EPIPE' }, null];
    for (const other of others) expect(isNetworkError(other)).to.equal(false);
  });
});
