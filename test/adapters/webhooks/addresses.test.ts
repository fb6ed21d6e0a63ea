import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { decode, encode } from 'dns-packet';
import { createConnect } from '../../../adapters/guarded-connect.ts';
import { createLookUp } from '../../../adapters/look-up.ts';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { createIsAllowed, parseNetworks, WrongNetwork } from '../../../adapters/public-addresses.ts';
import { createCheckWebhookUrl } from '../../../adapters/webhooks/check-url.ts';
import { createSendWebhook } from '../../../adapters/webhooks/send.ts';
import { errorOf } from '../../support/error-of.ts';
import { itLong } from '../../support/required-service.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

/** Hosts that are not public. Most of them are spellings of 127.0.0.1. */
const inside = [
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
  ],
  ...['0177.0.0.01', '0x7f.0x0.0x0.0x1', '127.0.0.0x1', '00000177.1', '0x7F.0.0.1', '127.255.255.254', '127.0.0.2'],
  ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '127%2e0%2e0%2e1', '%31%32%37.1', '127.0.0.1%2e'],
  ...['0.0.0.0', '0', '0.1', '0x0', '0.0.0.1', '00', '255.255.255.255', '4294967295', '224.0.0.1', '239.255.255.255'],
  ...['10.0.0.1', '10.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '0xc0a80001', '100.64.0.1', '100.127.255.255'],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '169.254.1', '0251.0376.0251.0376', '192.0.0.1', '192.0.2.1'],
  ...['192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '240.0.0.1', '192.31.196.1'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[::FFFF:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:0001]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[::7f00:1]'],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]'],
  ...[
    '[2002:a9fe:a9fe::1]',
    '[2002:7f00:0001::7f00:1]',
    '[2001:0:7f00:1::]',
    '[2001::1]',
    '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  ],
  ...['[fe80::1]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[fdff::1]', '[ff02::1]', '[ff0e::1]'],
  ...['[100::1]', '[2001:db8::1]', '[2001:10::1]', '[2001:20::1]', '[3fff::1]', '[5f00::1]', '[4000::1]', '[1::1]'],
];
const publicHosts = [
  '8.8.8.8',
  '1.1.1.1',
  '0x08080808',
  '[2606:4700:4700::1111]',
  '[::ffff:8.8.8.8]',
  '[2a00:1450::1]',
];

const clock = createManualClock(Date.UTC(2026, 4, 4));
const never = new AbortController().signal;
const message = { id: 'e', at: 0, secrets: ['whsec_AAAA'] as [string], body: '{}' };
const allowHttp = true;
type Options = Partial<Parameters<typeof createSendWebhook>[0]>;
const senderWith = (more: Options) =>
  createSendWebhook({ version: '1', clock, allowHttp, allowedNetworks: [], patience: 5_000, ...more });

describe('addresses of webhooks', () => {
  let listeners: WebhookReceiver[];
  beforeEach(async () => {
    listeners = [await startReceiver(), await startReceiver(undefined, { host: '::1' })];
  });
  afterEach(async () => {
    for (const listener of listeners) await listener[Symbol.asyncDispose]();
  });
  const connections = () => listeners.reduce((sum, listener) => sum + listener.connections(), 0);
  const ports = () => listeners.map(({ port }) => port);

  itLong('are public: nothing connects to any spelling of another one', async () => {
    expect(inside.length).to.be.at.least(60);
    const check = createCheckWebhookUrl({ allowHttp, allowedNetworks: [] });
    for (const host of inside) {
      for (const port of ports()) {
        const url = `http://${host}:${port}/`;
        expect(check(url), url).to.match(/public addresses/);
        expect((await senderWith({})({ ...message, url }, never)).fault, url).to.equal('blocked_address');
      }
    }
    for (const host of publicHosts) expect(check(`https://${host}/`), host).to.equal(undefined);
    expect(connections()).to.equal(0);
  });

  itLong('are public also if a name leads to them', async () => {
    const addresses = inside.map((host) => new URL(`http://${host}/`).hostname.replace(/[[\]]/g, ''));
    for (const address of new Set(addresses)) {
      const send = senderWith({ lookUp: async () => [address] });
      for (const port of ports()) {
        const { fault } = await send({ ...message, url: `http://hooks.example.com:${port}/` }, never);
        expect(fault, address).to.equal('blocked_address');
      }
    }
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      const { fault } = await senderWith({})({ ...message, url: `http://${name}:${ports()[0]}/` }, never);
      expect(fault, name).to.equal('blocked_address');
    }
    for (const odd of ['', 'x', '127.1', '::1%lo', '127.0.0.1:80']) {
      const { fault } = await senderWith({ lookUp: async () => [odd] })(
        { ...message, url: 'http://a.example/' },
        never,
      );
      expect(fault, odd).to.equal('blocked_address');
    }
    expect(connections()).to.equal(0);
  });

  itLong('can be those of the operator too, and only those', async () => {
    const send = senderWith({ allowedNetworks: ['127.0.0.1'] });
    const [port = 0] = ports();
    for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost']) {
      expect((await send({ ...message, url: `http://${host}:${port}/` }, never)).fault, host).to.equal(null);
    }
    for (const host of ['127.0.0.2', '10.0.0.1', '[::1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]']) {
      const { fault } = await send({ ...message, url: `http://${host}:${port}/` }, never);
      expect(fault, host).to.equal('blocked_address');
    }
    expect(connections()).to.equal(4);
  });

  it('are connected to only if they are permitted, when a name has several', async () => {
    const lookUp = async () => ['10.0.0.1', '127.0.0.1', '169.254.169.254'];
    const send = senderWith({ allowedNetworks: ['127.0.0.1'], lookUp });
    expect((await send({ ...message, url: `http://a.example:${ports()[0]}/` }, never)).fault).to.equal(null);
  });

  it('are looked up once: a name server that changes its answer leads nowhere', async () => {
    let asked = 0;
    const server = createSocket('udp4').on('message', (packet, { port, address }) => {
      const { id, questions = [] } = decode(packet);
      const [question] = questions;
      if (question?.type === 'A') asked++;
      const data = asked % 2 === 1 ? '8.8.8.8' : '127.0.0.1';
      const found = question?.type === 'A' ? [{ type: 'A', name: question.name, ttl: 0, data } as const] : [];
      server.send(encode({ type: 'response', id: id ?? 0, questions, answers: found }), port, address);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const lookUp = createLookUp([`127.0.0.1:${server.address().port}`]);
      // The connection to the public address is refused before it is made, so that the test needs no network.
      const seen: string[] = [];
      const isPublic = createIsAllowed([]);
      const note = (address: string) => {
        seen.push(address);
        return isPublic(address) && address !== '8.8.8.8';
      };
      const connect = createConnect(note, lookUp);
      for (let n = 0; n < 20; n++) {
        const error = await errorOf(connect(new URL(`http://rebind.example:${ports()[0]}/`), never));
        expect(error).to.have.nested.property('failure.fault', 'blocked_address');
      }
      expect(asked).to.equal(20);
      expect(seen).to.include.members(['8.8.8.8', '127.0.0.1']);
      expect(seen).to.have.lengthOf(20);
      expect(connections()).to.equal(0);
    } finally {
      server.close();
    }
  });

  it('are checked again when the connection is made, before anything is sent', async () => {
    let calls = 0;
    const connect = createConnect(() => calls++ === 0, createLookUp());
    const [listener] = listeners;
    const error = await errorOf(connect(new URL(`http://127.0.0.1:${listener?.port}/`), never));
    expect(error).to.have.nested.property('failure.fault', 'blocked_address');
    expect(calls).to.equal(2);
    expect(listener?.received).to.deep.equal([]);
  });

  it('are refused in a URL with another scheme, port, or with a user', () => {
    const strict = createCheckWebhookUrl({ allowHttp: false, allowedNetworks: [] });
    const check = createCheckWebhookUrl({ allowHttp, allowedNetworks: [] });
    for (const url of ['', 'x', 'https://', 'https://[::1', 'https://a b/'])
      expect(check(url), url).to.match(/not a URL/);
    for (const url of ['ftp://a.example/', 'file:///etc/passwd', 'gopher://a.example/', 'javascript:1', 'unix:/x']) {
      expect(check(url), url).to.match(/must begin with https:\/\/ or http:\/\//);
    }
    expect(strict('http://a.example/')).to.equal('The URL must begin with https://.');
    for (const port of [1, 21, 22, 25, 79, 81, 442, 444, 1023, 0]) {
      expect(check(`https://a.example:${port}/`), String(port)).to.match(/port/);
    }
    for (const port of [80, 443, 1024, 8443, 65535]) expect(check(`https://a.example:${port}/`)).to.equal(undefined);
    for (const user of ['a', 'a:b', ':b', 'a%40b']) expect(check(`https://${user}@a.example/`)).to.match(/user name/);
  });

  it('of the operator are addresses and ranges that are written in full', () => {
    const good = ['10.0.0.0/8', '127.0.0.1', '::1', 'fd00::/8', '0.0.0.0/0', '192.168.1.7/32'];
    expect(parseNetworks(good)).to.have.lengthOf(good.length);
    for (const bad of [
      '10.0.0.0/33',
      '10.0.0.1/8',
      '10.1',
      '0x7f.1',
      'localhost',
      '127.0.0.1/',
      '::1/200',
      'fd00::1/8',
    ]) {
      expect(() => parseNetworks([bad]), bad).to.throw(WrongNetwork);
    }
  });
});
