import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { t } from '../../../apps/wiring/tokens.ts';
import type { Account } from '../../adapters/http/account/account-service.ts';
import { type DashboardService, startDashboardService } from '../../adapters/http/dashboard/dashboard-service.ts';
import { operator } from '../../support/by.ts';
import { type Computer, makeComputer, type RunningCli } from '../../support/cli.ts';
import { good } from '../../support/good.ts';
import { itLong } from '../../support/required-service.ts';
import { startServer, withFiles } from '../../support/server-process.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { administer } from '../admin-program.ts';

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('latchkey webhooks listen with a listener', () => {
  let service: DashboardService;
  let seller: Account;
  let computer: Computer;
  let receiver: Server;
  let local: string;
  let got: Got[];
  let started: RunningCli[];
  /** The status of the next answers of the local server. */
  let status: number;
  const open = async (server: Server, port = 0) => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const close = async (server: Server) => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  beforeEach(async () => {
    service = await startDashboardService();
    seller = await service.account('pro');
    computer = await makeComputer({ LATCHKEY_URL: service.url, LATCHKEY_API_KEY: seller.key });
    got = [];
    started = [];
    status = 200;
    receiver = createServer(async (request, response) => {
      got.push({ headers: request.headers, body: await text(request) });
      response.writeHead(status).end();
    });
    local = `http://127.0.0.1:${await open(receiver)}/in`;
  });
  afterEach(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ ended }) => ended));
    await close(receiver);
    await service.close();
    await computer.folder.remove();
  });

  const webhooks = async () => (await seller.get('/api/webhooks')).body.data;
  async function ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await computer.run(args);
    expect(code, stderr).to.equal(0);
    return stdout;
  }
  const trigger = (event: string) => ok('webhooks', 'trigger', event);
  async function listen(more: readonly string[] = [], env: Record<string, string> = {}): Promise<RunningCli> {
    const running = computer.start(['webhooks', 'listen', '--forward', local, ...more], { env });
    started.push(running);
    await running.printed(/Ready\./);
    return running;
  }
  async function end({ child, ended }: RunningCli, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT') {
    child.kill(signal);
    return await ended;
  }

  itLong(
    'forwards events in their order, signed in both ways with the secret that it prints, and removes the listener',
    async () => {
      const running = await listen();
      const [, secret = ''] = await running.printed(/Signed with (whsec_\S+)/);
      expect(await webhooks()).to.have.lengthOf(1);
      const product = good(await service.products.add({ title: 'Jar', ownerId: seller.user.id }, operator));
      await seller.post('/api/licenses', { product: product.slug });
      await trigger('license.renewed');
      await running.printedToOutput(/license\.renewed .*200/);
      status = 503;
      await trigger('order.paid');
      await running.printedToOutput(/order\.paid .*503/);
      const { code, stdout } = await end(running);
      expect(code).to.equal(0);
      expect(stdout).to.match(
        /^license\.issued +evt_\w+ +200\nlicense\.renewed +evt_\w+ +200\norder\.paid +evt_\w+ +503\n$/,
      );
      expect(got.map(({ body }) => JSON.parse(body).event)).to.deep.equal([
        'license.issued',
        'license.renewed',
        'order.paid',
      ]);
      const stored = (await service.rows('webhook_events')).map((row) => row.body);
      for (const { headers, body } of got) {
        new Webhook(secret).verify(body, headers as Record<string, string>);
        expect(headers['x-service-signature']).to.equal(
          `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        );
        expect(stored).to.include(body);
      }
      expect(await webhooks()).to.deep.equal([]);
    },
  );

  itLong('gets only what it asks for, signs with a secret of your own, and ends with SIGTERM', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const [jar, cup] = await Promise.all(
      ['Jar', 'Cup'].map(async (title) =>
        good(await service.products.add({ title, ownerId: seller.user.id }, operator)),
      ),
    );
    const options = ['--events', 'license.issued,license.revoked', '--product', jar?.slug ?? '', '--json'];
    const running = await listen(options, { LATCHKEY_WEBHOOK_SECRET: secret });
    const [listener] = await webhooks();
    expect(listener.product.slug).to.equal(jar?.slug);
    await seller.post('/api/licenses', { product: cup?.slug });
    const { body } = await seller.post('/api/licenses', { product: jar?.slug });
    await seller.post(`/api/licenses/${body.data[0].key}/suspend`, {});
    await seller.post(`/api/licenses/${body.data[0].key}/revoke`, {});
    await running.printedToOutput(/license\.revoked/);
    const { code, stdout, stderr } = await end(running, 'SIGTERM');
    expect(code).to.equal(0);
    expect(stdout + stderr).to.not.include(secret);
    expect(got.map((one) => JSON.parse(one.body).event)).to.deep.equal(['license.issued', 'license.revoked']);
    for (const one of got) new Webhook(secret).verify(one.body, one.headers as Record<string, string>);
    expect(await webhooks()).to.deep.equal([]);
  });

  itLong('says how to get an event again that the local server did not take, and goes on', async () => {
    const running = await listen();
    const port = Number(new URL(local).port);
    await close(receiver);
    await trigger('license.issued');
    await running.printedToOutput(/license\.issued .*ECONNREFUSED/);
    const [, webhook = '', delivery = ''] = await running.printed(/latchkey webhooks resend (\d+) (\d+)/);
    await open(receiver, port);
    const path = `/api/webhooks/${webhook}/deliveries/${delivery}`;
    while ((await seller.get(path)).body.delivery.status !== 'delivered') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await ok('webhooks', 'resend', webhook, delivery)).to.include('on its way again');
    await running.printedToOutput(/license\.issued .*200/);
    await end(running);
    expect(got).to.have.lengthOf(1);
  });

  itLong('goes on after a lost connection and a refusal with a time to wait, with each event once', async () => {
    const faults: ('cut' | 'cut after' | 429)[] = [];
    const proxy = createServer(async (request, response) => {
      const { url = '', method = '', headers } = request;
      const body = await text(request);
      const fault = url.endsWith('/fetch') ? faults.shift() : undefined;
      if (fault === 429) {
        const error = { code: 'RATE_LIMITED', message: 'Too many requests.' };
        response.writeHead(429, { 'Retry-After': '1' }).end(JSON.stringify({ error }));
        return;
      }
      if (fault === 'cut') {
        request.socket.destroy();
        return;
      }
      const answer = await fetch(service.url + url, {
        method,
        headers: { 'X-API-Key': String(headers['x-api-key']), 'Content-Type': 'application/json' },
        ...(body !== '' && { body }),
      });
      const content = await answer.text();
      // The call had its effect.
      if (fault === 'cut after') request.socket.destroy();
      else response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(content);
    });
    const port = await open(proxy);
    try {
      const running = await listen(['--server', `http://127.0.0.1:${port}`]);
      await trigger('license.issued');
      await running.printedToOutput(/license\.issued .*200/);
      faults.push('cut after', 'cut', 429);
      await trigger('license.renewed');
      await running.printed(/cannot be reached.*Trying again/);
      await running.printed(/Too many requests.*Trying again/);
      await running.printedToOutput(/license\.renewed .*200/);
      await trigger('license.revoked');
      await running.printedToOutput(/license\.revoked .*200/);
      expect((await end(running)).code).to.equal(0);
    } finally {
      await close(proxy);
    }
    expect(got.map(({ body }) => JSON.parse(body).event)).to.deep.equal([
      'license.issued',
      'license.renewed',
      'license.revoked',
    ]);
  });

  itLong('goes on when the server of Latchkey was killed and started again, with each event once', async () => {
    const folder = await makeTemporaryFolder();
    const settings = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` };
    let server = await startServer(settings);
    try {
      const admin = administer(withFiles(settings));
      await admin.text('user', 'add', '--name', 'Ada', '--email', 'ada@example.com');
      const { key } = await admin.json('key', 'create', '--user', 'ada@example.com');
      const env = { LATCHKEY_API_KEY: key.secret, LATCHKEY_URL: server.url };
      const sample = async (event: string) => {
        const { code, stderr } = await computer.run(['webhooks', 'trigger', event], { env });
        expect(code, stderr).to.equal(0);
      };
      const running = await listen([], env);
      await sample('license.issued');
      await running.printedToOutput(/license\.issued .*200/);
      await server.stop('SIGKILL');
      await running.printed(/cannot be reached.*Trying again/);
      server = await startServer({ ...settings, PORT: new URL(server.url).port });
      await sample('license.renewed');
      await running.printedToOutput(/license\.renewed .*200/);
      expect((await end(running)).code).to.equal(0);
      expect(got.map(({ body }) => JSON.parse(body).event)).to.deep.equal(['license.issued', 'license.renewed']);
    } finally {
      await server.stop('SIGKILL');
      await folder.remove();
    }
  });

  itLong('ends with a message if the listener is removed, or cannot be added', async () => {
    const running = await listen();
    const [{ id }] = await webhooks();
    await seller.send(`/api/webhooks/${id}`, { method: 'DELETE' });
    const { code, stderr } = await running.ended;
    expect([code, stderr.includes(`No webhook has the id ${id}.`)]).to.deep.equal([4, true]);
    expect(stderr).to.not.include('could not be removed');
    const refused = await computer.run(['webhooks', 'listen', '--forward', local, '--product', 'of-nobody']);
    expect([refused.code, refused.stderr.includes('product:')]).to.deep.equal([4, true]);
    for (const wrong of [
      ['--forward', 'nonsense'],
      ['--forward', 'localhost:4000'],
      ['5', '--forward', local, '--events', 'license.issued'],
    ]) {
      expect((await computer.run(['webhooks', 'listen', ...wrong])).code, wrong.join(' ')).to.equal(2);
    }
    expect(await webhooks()).to.deep.equal([]);
  });

  itLong('uses a listener that exists, acknowledges what it has sent, and leaves it', async () => {
    const { id } = (await seller.post('/api/webhooks', { url: null, events: '*' })).body.webhook;
    const running = await listen([String(id)]);
    await trigger('license.issued');
    await running.printedToOutput(/license\.issued .*200/);
    expect((await end(running)).code).to.equal(0);
    const { data } = (await seller.get(`/api/webhooks/${id}/deliveries`)).body;
    expect(data.map((one: { status: string }) => one.status)).to.deep.equal(['delivered']);
    expect(got).to.have.lengthOf(1);
  });

  itLong('is found by "trigger" if it is the only one', async () => {
    const add = async () => (await seller.post('/api/webhooks', { url: null, events: '*' })).body.webhook.id as number;
    await seller.post('/api/webhooks', { url: 'https://hooks.example.com/', events: '*' });
    const none = await computer.run(['webhooks', 'trigger', 'license.issued']);
    expect([none.code, none.stderr.includes('You have no listener.')]).to.deep.equal([2, true]);
    const first = await add();
    expect(await trigger('license.issued')).to.include('on its way');
    expect(await ok('webhooks', 'list')).to.match(/listener +all/);
    const admin = await service.account();
    good(await (await service.parts.get(t.userAdministration)).setRole(admin.user.email, 'admin', operator));
    const env = { LATCHKEY_API_KEY: admin.key };
    const foreign = await computer.run(['webhooks', 'trigger', 'license.issued'], { env });
    expect([foreign.code, foreign.stderr.includes('You have no listener.')]).to.deep.equal([2, true]);
    const eventless = await computer.run(['webhooks', 'trigger', String(first)]);
    expect([eventless.code, eventless.stderr.includes('The event is missing.')]).to.deep.equal([2, true]);
    const second = await add();
    const several = await computer.run(['webhooks', 'trigger', 'license.issued']);
    expect([several.code, several.stderr.includes(`${second}, ${first}`)]).to.deep.equal([2, true]);
    expect(await ok('webhooks', 'trigger', String(second), 'license.issued')).to.include('on its way');
    expect((await computer.run(['webhooks', 'trigger', '1', '2', '3'])).code).to.equal(2);
  });
});
