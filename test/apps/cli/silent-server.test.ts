import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { ask } from '../../../apps/cli/api.ts';
import { forwarded } from '../../../apps/cli/forward.ts';
import { Stop } from '../../../apps/cli/stop.ts';
import { upload } from '../../../apps/cli/transfer.ts';
import { within } from '../../../apps/cli/within.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';

const patience = 50;

describe('the CLI, at a server that is silent', () => {
  let silent: Server;
  let server: string;
  let begin: (response: ServerResponse) => void;
  before(async () => {
    silent = createServer((_, response) => begin(response)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    begin = () => undefined;
  });
  after(async () => {
    silent.closeAllConnections();
    silent.close();
    await once(silent, 'close');
  });

  const isTooLate = (error: unknown) =>
    expect(error).to.be.instanceOf(Stop).with.property('message', `${server} cannot be reached: it does not answer.`);

  itLong('ends a call, whatever memory is cleaned up meanwhile', async () => {
    // Node 20 collected the limits of calls as garbage, so that they never ended.
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
    const collecting = setInterval(collect, patience / 2);
    try {
      isTooLate(await errorOf(ask({ server, key: 'k' }, '/api/auth/me', { patience })));
      const { signal } = new AbortController();
      isTooLate(await errorOf(ask({ server, key: 'k' }, '/api/auth/me', { patience, signal })));
    } finally {
      clearInterval(collecting);
    }
  });

  it('ends a call whose answer has begun', async () => {
    begin = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{');
    isTooLate(await errorOf(ask({ server }, '/api/auth/me', { patience })));
  });

  it('ends a call at once when it is stopped', async () => {
    const stop = new AbortController();
    begin = () => stop.abort();
    expect(await errorOf(ask({ server }, '/api/auth/me', { signal: stop.signal }))).to.be.instanceOf(Stop);
    expect(await errorOf(ask({ server }, '/api/auth/me', { signal: stop.signal }))).to.be.instanceOf(Stop);
  });

  it('ends an upload', async () => {
    isTooLate(
      await errorOf(
        upload({ server, key: 'k', origin: '' }, '/api/marketplace/upload', {}, { title: 'Jar' }, {}, patience),
      ),
    );
  });

  it('ends the forwarding of an event', async () => {
    const { signal: stop } = new AbortController();
    const forwarding = { forward: server, secret: `whsec_${'a'.repeat(32)}`, json: false, stop };
    const event = { id: 1, event: 'license.issued', event_id: 'evt_1', body: '{}' };
    const result = await forwarded(event, forwarding, patience);
    expect(result).to.deep.equal({ status: null, fault: 'It took too long.' });
  });

  it('ends nothing later that was done in time', async () => {
    const signal = await within(1, undefined, async (signal) => signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(signal.aborted).to.equal(false);
  });
});
