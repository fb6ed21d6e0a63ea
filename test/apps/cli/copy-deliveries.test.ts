import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startAccountService } from '../../adapters/http/account/account-service.ts';
import { makeComputer } from '../../support/cli.ts';
import { deferred } from '../../support/deferred.ts';
import { needing, skipLong } from '../../support/required-service.ts';

/** Seconds until the window of the calls ends. */
const window = 7;

needing(skipLong).describe('latchkey webhooks listen with a webhook that has an address', () => {
  it('looks again only when its plan has calls left', async () => {
    await using service = await startAccountService();
    const seller = await service.account();
    const address = 'https://hooks.example.com/';
    const { webhook } = (await seller.post('/api/webhooks', { url: address, events: '*' })).body;
    const looks: number[] = [];
    const enough = deferred<void>();
    // The service with a plan whose calls are used up.
    const proxy = createServer(async ({ url = '' }, response) => {
      if (url.includes('/deliveries')) looks.push(performance.now());
      if (looks.length === 3) enough.resolve();
      const answer = await fetch(service.url + url, { headers: { 'X-API-Key': seller.key } });
      const content = await answer.text();
      response
        .writeHead(answer.status, { 'Content-Type': 'application/json', RateLimit: `"minute";r=0;t=${window}` })
        .end(content);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const server = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const computer = await makeComputer({ LATCHKEY_URL: server, LATCHKEY_API_KEY: seller.key });
    const running = computer.start(['webhooks', 'listen', String(webhook.id), '--forward', 'http://127.0.0.1:1']);
    try {
      await Promise.race([enough.promise, running.ended]);
      // The first one only finds out which deliveries are old.
      const [, one = 0, next = 0] = looks;
      // A timer can end up to a millisecond early.
      expect(next - one).to.be.at.least(window * 1000 - 2);
    } finally {
      running.child.kill('SIGKILL');
      await running.ended;
      proxy.closeAllConnections();
      proxy.close();
      await computer.folder.remove();
    }
  });
});
