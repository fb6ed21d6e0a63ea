import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { failureOf } from '../../../adapters/webhooks/faults.ts';
import { createSendWebhook } from '../../../adapters/webhooks/send.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import type { Attempted } from '../../../core/webhooks/delivery.ts';
import { type Certificate, makeCertificate } from '../../support/certificates.ts';
import { errorOf } from '../../support/error-of.ts';
import { until } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { itLong } from '../../support/required-service.ts';
import {
  answers,
  type Behaviour,
  cutsOff,
  dripsBody,
  dripsHead,
  hangs,
  says,
  sendsBytes,
  startRaw,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const now = Date.UTC(2026, 4, 4, 12);
const old = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const newest = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const never = new AbortController().signal;
const options = {
  version: '1.2.3',
  clock: createManualClock(now),
  allowHttp: true,
  allowedNetworks: ['127.0.0.0/8', '::1'],
};
const message = { id: 'evt_1', at: now, secrets: [newest, old], body: '{"event":"license.issued","ö":1}' } as const;
type Options = Partial<Parameters<typeof createSendWebhook>[0]>;

const sendTo = (url: string, more: Options = {}, stop: AbortSignal = never) =>
  createSendWebhook({ ...options, ...more })({ ...message, secrets: [...message.secrets], url }, stop);

/** Sends to a receiver that behaves like this. */
async function ask(behave: Behaviour, more: Options = {}): Promise<Attempted> {
  await using receiver = await startReceiver(behave);
  return await sendTo(`http://127.0.0.1:${receiver.port}/hook`, more);
}
const outcome = ({ fault, detail }: Attempted) => ({ fault, detail });

describe('sending a webhook', () => {
  it('posts the body byte for byte, with both kinds of signatures', async () => {
    await using receiver = await startReceiver(answers(200, { 'x-a': 'b' }, 'thanks'));
    const attempted = await sendTo(`http://127.0.0.1:${receiver.port}/hook?a=b#c`);
    const [request] = receiver.received;
    expect(request).to.include({ method: 'POST', path: '/hook?a=b', body: message.body });
    expect(request?.headers).to.include({
      'content-type': 'application/json',
      'user-agent': 'Latchkey/1.2.3',
      'content-length': String(Buffer.byteLength(message.body)),
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now / 1000),
      'x-service-signature': `sha256=${createHmac('sha256', newest).update(message.body).digest('hex')}`,
    });
    expect(attempted).to.deep.include({ fault: null, detail: '', retryAfter: null });
    expect(attempted.answer).to.deep.include({ status: 200, body: 'thanks' });
    expect(attempted.answer?.headers['x-a']).to.equal('b');
    expect(attempted.request.headers).to.have.all.keys([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-timestamp',
    ]);
    expect(attempted.duration).to.be.at.least(0);
  });

  it('is verified by the package standardwebhooks, with the newest secret and with the one before', async () => {
    await using receiver = await startReceiver();
    const at = Date.now(); // The package refuses old messages.
    const send = createSendWebhook(options);
    await send({ ...message, at, secrets: [newest, old], url: `http://127.0.0.1:${receiver.port}/` }, never);
    const { body, headers } = receiver.received[0] ?? expect.fail();
    const given = {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    };
    for (const secret of [newest, old]) {
      expect(new Webhook(secret).verify(body, given)).to.deep.equal(JSON.parse(body));
      expect(() => new Webhook(secret).verify(`${body} `, given)).to.throw();
    }
    const other = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
    expect(() => new Webhook(other).verify(body, given)).to.throw();
    expect(given['webhook-signature']).to.equal(
      `${new Webhook(newest).sign('evt_1', new Date(at), body)} ${new Webhook(old).sign('evt_1', new Date(at), body)}`,
    );
  });

  it('starts at most one attempt in each turn of the event loop, so that others are answered between them', async () => {
    let turn = 0;
    let isCounting = true;
    const count = () => {
      turn += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const startedIn: number[] = [];
    const lookUp = () => {
      startedIn.push(turn);
      return Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }));
    };
    const send = createSendWebhook({ ...options, lookUp });
    const to = { ...message, url: 'http://hooks.example.com/' };
    await Promise.all(Array.from({ length: 20 }, () => send({ ...to, secrets: [newest, old] }, never)));
    isCounting = false;
    expect(new Set(startedIn).size).to.equal(20);
  });

  it('sends nothing if it is stopped before its turn', async () => {
    await using receiver = await startReceiver();
    const stop = new AbortController();
    const sending = errorOf(sendTo(`http://127.0.0.1:${receiver.port}/`, {}, stop.signal));
    const reason = new Error('stopped');
    stop.abort(reason);
    expect(await sending).to.equal(reason);
    expect(receiver.received).to.deep.equal([]);
  });

  it('succeeds with any status from 200 to 299, and with no other', async () => {
    for (const status of [200, 201, 202, 204, 299]) expect((await ask(answers(status))).fault).to.equal(null);
    for (const status of [400, 404, 410, 429, 500, 503]) {
      const attempted = await ask(answers(status, {}, 'no'));
      expect(outcome(attempted)).to.deep.equal({
        fault: 'status',
        detail: `The host answered with status ${status}.`,
      });
      expect(attempted.answer).to.include({ status, body: 'no' });
    }
  });

  it('follows no redirect', async () => {
    await using target = await startReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${target.port}/inside`;
      const attempted = await ask(answers(status, { location }));
      expect(attempted.fault).to.equal('redirect');
      expect(attempted.detail).to.include(String(status)).and.to.include(location);
    }
    expect(target.connections()).to.equal(0);
  });

  itLong('reads the wait that a 429 or 503 asks for, in seconds or as a date', async () => {
    const waits: [string, number | null][] = [
      ['120', 120_000],
      ['0', 0],
      [new Date(now + 90_000).toUTCString(), 90_000],
      ['Monday, 04-May-26 12:01:00 GMT', 60_000],
      [new Date(now - 90_000).toUTCString(), 0],
      ['9'.repeat(400), 31_536_000_000],
      ['soon', null],
      ['-5', null],
      ['1.5', null],
      ['', null],
    ];
    for (const [text, wait] of waits) {
      for (const status of [429, 503]) {
        expect((await ask(answers(status, { 'retry-after': text }))).retryAfter, text).to.equal(wait);
      }
    }
    expect((await ask(answers(500, { 'retry-after': '5' }))).retryAfter).to.equal(null);
    expect((await ask(answers(429))).retryAfter).to.equal(null);
  });

  it('keeps the beginning of an answer as text that every database can store', async () => {
    const body = `\0\ud83d${'😀'.repeat(3_000)}`;
    const attempted = await ask((response) => {
      for (let n = 0; n < 100; n++) response.setHeader(`x-${n}`, 'v'.repeat(90));
      response.setHeader('x-0', 'v'.repeat(600));
      response.end(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body)]));
    });
    expect(attempted.fault).to.equal(null);
    const text = attempted.answer?.body ?? '';
    expect(text).to.have.lengthOf(4_096);
    expect(text).to.not.match(/\0|\p{Cs}/u);
    const headers = Object.values(attempted.answer?.headers ?? {});
    expect(headers).to.have.lengthOf(50);
    for (const value of headers) expect(value).to.have.length.at.most(500);
  });

  it('reads at most the first 64 kB of a body of 1 GB, and closes the connection', async () => {
    const sent = { count: 0 };
    await using receiver = await startReceiver(sendsBytes(1_073_741_824, sent));
    const attempted = await sendTo(`http://127.0.0.1:${receiver.port}/`);
    expect(attempted.fault).to.equal(null);
    expect(attempted.answer?.body).to.equal('z'.repeat(4_096));
    expect(sent.count).to.be.below(20_000_000); // The buffers of the system.
  });

  itLong('ends after the whole time, whatever is slow: connection, TLS, head or body', async () => {
    const patience = 150;
    const late = { fault: 'timeout', detail: 'The host did not answer within 0.15 seconds.' };
    for (const behave of [hangs, dripsHead]) expect(outcome(await ask(behave, { patience }))).to.deep.equal(late);
    await using silent = await startRaw();
    expect(outcome(await sendTo(`https://127.0.0.1:${silent.port}/`, { patience }))).to.deep.equal(late);
    const lookUp = () => new Promise<never>(() => undefined);
    expect(outcome(await sendTo('http://slow.example/', { patience, lookUp }))).to.deep.equal(late);
    // The head came in time, and is what counts.
    const dripped = await ask(dripsBody, { patience });
    expect(dripped.fault).to.equal(null);
    expect(dripped.answer?.body).to.match(/^y+$/);
  });

  itLong('says what went wrong with a connection or an answer', async () => {
    const closed = await freePort();
    expect(outcome(await sendTo(`http://127.0.0.1:${closed}/`))).to.deep.equal({
      fault: 'refused',
      detail: 'The host refused the connection: nothing listens on this port.',
    });
    for (const behave of [cutsOff, says('')]) expect((await ask(behave)).fault).to.equal('cut_off');
    await using closing = await startRaw((socket) => socket.destroy());
    expect((await sendTo(`http://127.0.0.1:${closing.port}/`)).fault).to.equal('cut_off');
    const wrong = [
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 200 OK\r\nbroken header\r\n\r\n',
      'HTTP/1.1 abc\r\n\r\n',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
    ];
    for (const text of wrong) expect((await ask(says(text))).fault, text.slice(0, 30)).to.equal('bad_answer');
    const cutBody = await ask(says('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf'));
    expect(cutBody).to.deep.include({ fault: null });
    expect(cutBody.answer?.body).to.equal('half');
  });

  it('says what went wrong with a look-up', async () => {
    const faults = {
      ENOTFOUND: /does not exist/,
      ENODATA: /has no address/,
      ESERVFAIL: /failed/,
      ETIMEOUT: /did not answer/,
    };
    for (const [code, detail] of Object.entries(faults)) {
      const lookUp = () => Promise.reject(Object.assign(new Error(code), { code }));
      const attempted = await sendTo('http://hooks.example.com/', { lookUp });
      expect(attempted.fault).to.equal('dns');
      expect(attempted.detail).to.match(detail);
      expect(attempted.answer).to.equal(null);
    }
  });

  it('breaks off when it is told to, and leaves no connection open', async () => {
    await using receiver = await startReceiver(hangs);
    const stop = new AbortController();
    const sending = errorOf(sendTo(`http://127.0.0.1:${receiver.port}/`, {}, stop.signal));
    await until(() => receiver.received.length > 0);
    const reason = new Error('The process stops.');
    stop.abort(reason);
    expect(await sending).to.equal(reason);
    await until(() => receiver.open() === 0);
    expect(await errorOf(sendTo(`http://127.0.0.1:${receiver.port}/`, {}, stop.signal))).to.equal(reason);
    expect(receiver.connections()).to.equal(1);
  });

  itLong('makes a connection for every attempt, and leaves none open', async () => {
    await using receiver = await startReceiver(answers(200, {}, 'x'.repeat(100_000)));
    const send = createSendWebhook(options);
    const url = `http://127.0.0.1:${receiver.port}/`;
    for (let n = 0; n < 3; n++) await send({ ...message, secrets: [newest], url }, never);
    expect(receiver.connections()).to.equal(3);
    await until(() => receiver.open() === 0);
  });

  describe('with TLS', () => {
    let authority: Certificate;
    before(async () => {
      authority = await makeCertificate({ host: 'An authority', isAuthority: true });
    });
    const lookUp = async () => ['127.0.0.1'];
    const secure = async (tls: object, host = 'hooks.example.com') => {
      await using receiver = await startReceiver(answers(), { tls });
      const attempted = await sendTo(`https://${host}:${receiver.port}/`, { lookUp, tls: { ca: authority.cert } });
      return { ...outcome(attempted), count: receiver.received.length };
    };

    it('trusts certificates of known authorities for the host, also with a dot at its end', async () => {
      const tls = await makeCertificate({ by: authority });
      expect(await secure(tls)).to.deep.equal({ fault: null, detail: '', count: 1 });
      expect((await secure(tls, 'HOOKS.example.com.')).fault).to.equal(null);
    });

    itLong('says which fault a certificate has, and sends nothing', async () => {
      const stranger = await makeCertificate({ host: 'A stranger', isAuthority: true });
      const bad: [object, RegExp][] = [
        [await makeCertificate({ by: authority, from: -9, to: -1 }), /has expired/],
        [await makeCertificate({ by: authority, from: 1, to: 9 }), /not valid yet/],
        [await makeCertificate({}), /self-signed/],
        [await makeCertificate({ by: authority, host: 'other.example.com' }), /another host/],
        [await makeCertificate({ by: stranger }), /not from a known authority/],
      ];
      for (const [tls, detail] of bad) {
        const { fault, detail: said, count } = await secure(tls);
        expect(said).to.match(detail);
        expect({ fault, count }).to.deep.equal({ fault: 'tls', count: 0 });
      }
    });

    it('says if the host speaks no TLS, or only an old version', async () => {
      await using plain = await startReceiver();
      const attempted = await sendTo(`https://hooks.example.com:${plain.port}/`, { lookUp });
      expect(outcome(attempted)).to.deep.equal({
        fault: 'tls',
        detail: 'The host does not speak TLS on this port.',
      });
      const ciphers = 'DEFAULT:@SECLEVEL=0';
      const tls = {
        ...(await makeCertificate({ by: authority })),
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
        ciphers,
      };
      expect((await secure(tls)).fault).to.equal('tls');
      await using cutting = await startRaw((socket) => socket.once('data', () => socket.destroy()));
      expect((await sendTo(`https://hooks.example.com:${cutting.port}/`, { lookUp })).fault).to.equal('cut_off');
    });

    it('names the host in the greeting, and an address never', async () => {
      const names: unknown[] = [];
      const tls = {
        ...(await makeCertificate({ by: authority })),
        SNICallback: (name: string, done: (error: null) => void) => {
          names.push(name);
          done(null);
        },
      };
      await secure(tls);
      expect((await secure(tls, '127.0.0.1')).fault).to.equal('tls');
      expect(names).to.deep.equal(['hooks.example.com']);
    });
  });

  it('fails for good if the host only has IPv6 addresses and this machine has none, but not if it lacks ports', () => {
    const errorWith = (code: string, address: string) => Object.assign(new Error(code), { code, address });
    for (const code of ['EADDRNOTAVAIL', 'EAFNOSUPPORT']) {
      const error = errorWith(code, '2606:4700::1111');
      const several = Object.assign(new AggregateError([error, error]), { code });
      for (const one of [error, several]) expect(failureOf(one)).to.deep.include({ fault: 'refused' });
    }
    expect(() => failureOf(errorWith('EADDRNOTAVAIL', '8.8.8.8'))).to.throw(Unavailable);
  });
});
