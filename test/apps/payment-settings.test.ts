import { expect } from 'chai';
import pino from 'pino';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { itLong } from '../support/required-service.ts';

/** Returns the ways to pay of a service with these settings, and what it logs about them. */
async function waysOf(settings: Record<string, string>) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const parts = await compose(readConfig({ DATABASE_URL: 'memory:', FILES_URL: 'temporary:', ...settings }), { log });
  try {
    return { ...(await parts.get(t.paymentSettings)), lines };
  } finally {
    await parts.close();
  }
}

describe('the ways to pay of a service', () => {
  it('are none by default', async () => {
    const none = { manual: undefined, test: undefined, provider: undefined, takesProvider: false };
    expect(await waysOf({})).to.deep.equal({ ...none, lines: [] });
  });

  it('are by hand with the instructions, and with play money for products in test mode', async () => {
    const ways = await waysOf({ PAYMENTS_URL: 'manual:,test:', PAYMENT_INSTRUCTIONS: ' By bank.\nThank you. ' });
    expect(ways).to.deep.include({
      manual: { instructions: 'By bank.\nThank you.' },
      test: 'test products',
      lines: [],
    });
  });

  it('warn in the log if products are given away for play money', async () => {
    const { test, lines } = await waysOf({ PAYMENTS_URL: 'test:demo' });
    expect(test).to.equal('all products');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('PAYMENTS_URL=test:demo');
  });

  itLong('are Stripe in the mode of the key', async () => {
    for (const mode of ['live', 'test']) {
      const { provider, lines } = await waysOf({
        PAYMENTS_URL: 'stripe:',
        STRIPE_SECRET_KEY: `sk_${mode}_c4n4ry0123456789`,
        STRIPE_WEBHOOK_SECRET: 'whsec_c4n4ry0123456789',
      });
      expect(provider).to.include({ name: 'stripe', isLive: mode === 'live' });
      expect(lines).to.deep.equal([]);
      expect(JSON.stringify(provider)).to.not.include('c4n4ry');
    }
  });
});
