import { expect } from 'chai';
import { createVerifier } from '../../../adapters/sql/verifier.ts';
import { refuse } from '../../../core/refusal.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';

describe('a verifier whose batch gets no answer', () => {
  it('fails its check until the batch ends, even if the check of the tables succeeds', async () => {
    const nothing = deferred<undefined[]>();
    const verifier = createVerifier({
      read: async () => (await nothing.promise) && [],
      add: async () => [],
      check: async () => undefined,
      patience: 60,
      close: async () => undefined,
    });
    await verifier.check();
    const failure = verifier
      .verify(keyNumber(1), domain('shop.example'), () => refuse('invalid_key'))
      .catch((error: unknown) => error);
    const check = () => verifier.check().catch((error: unknown) => error);
    await eventually('the check fails', async () => (await check()) instanceof Unavailable);
    expect(await failure).to.be.instanceOf(Unavailable);
    nothing.resolve([]);
    await eventually('the check succeeds again', async () => (await check()) === undefined);
    await verifier.close();
  });
});
