import type { RequestListener, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import pino from 'pino';
import { createRemotePurchaseCheck, type RemotePurchaseCheckOptions } from '../../../adapters/purchases/remote.ts';
import { toTemplateId, toUserId } from '../../../core/id.ts';
import type { PurchaseCheck } from '../../../core/ports/purchase-check.ts';
import { Unavailable } from '../../../core/unavailable.ts';
import { until } from '../../support/eventually.ts';
import { answer, patience, startService } from '../../support/purchase-checks.ts';
import { itLong } from '../../support/required-service.ts';

const ada = { id: toUserId(7), email: 'ada+dex&co=1@exämple.com' };
const dex = { id: toTemplateId(8), slug: 'uniswap-dex' };
const yes = JSON.stringify({ purchased: true });

const text =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);

/** Answers the nth request with the nth listener. The last listener answers all later requests. */
function oneAfterTheOther(...listeners: RequestListener[]): RequestListener {
  let count = 0;
  return (request, response) => {
    listeners[Math.min(count++, listeners.length - 1)]?.(request, response);
  };
}

const fine: RequestListener = (_, response) => answer(response, { purchased: true });
const broken = text('', 500);
const hang: RequestListener = () => undefined;

const drip: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
};

const stall: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Length': yes.length }).write(yes.slice(0, 5));
};

const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const spaces = ' '.repeat(16 * 1024);
  const pour = () => {
    while (!response.destroyed && response.write(spaces));
  };
  response.on('drain', pour);
  pour();
};

/** Returns the error, which must be `Unavailable`. */
async function outage(question: Promise<boolean>): Promise<Unavailable> {
  const outcome = await question.catch((error: unknown) => error);
  expect(outcome).to.be.an.instanceOf(Unavailable);
  return outcome as Unavailable;
}

const checkAt = (url: string, options: Partial<RemotePurchaseCheckOptions> = {}) =>
  createRemotePurchaseCheck({ url, timeout: patience, ...options });

const ask = (check: PurchaseCheck) => check.has(ada, dex);

async function failTimes(times: number, check: PurchaseCheck): Promise<void> {
  for (let failed = 0; failed < times; failed++) await outage(ask(check));
}

describe('the remote purchase check', () => {
  describe('sends', () => {
    it('one GET request with the user and the template, which accepts JSON', async () => {
      await using service = await startService(fine);
      expect(await ask(checkAt(service.url))).to.equal(true);
      expect(service.requests).to.have.lengthOf(1);
      const [request] = service.requests;
      const { pathname, searchParams } = new URL(request?.url ?? '', service.url);
      expect(request?.method).to.equal('GET');
      expect(pathname).to.equal('/purchases');
      expect(Array.from(searchParams)).to.deep.equal([
        ['user_id', '7'],
        ['email', ada.email],
        ['template_id', '8'],
        ['template', 'uniswap-dex'],
      ]);
      expect(request?.headers.accept).to.equal('application/json');
      expect(request?.headers).to.not.have.property('authorization');
    });

    it('the token, if there is one', async () => {
      await using service = await startService(fine);
      await ask(checkAt(service.url, { token: 'sesame' }));
      await ask(checkAt(service.url, { token: '' }));
      expect(service.requests.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer sesame', undefined]);
    });

    it('the query of the configured address too, and replaces only its own parameters', async () => {
      await using service = await startService(fine);
      await ask(checkAt(`${service.url}?shop=a%26b&user_id=1`));
      const { searchParams } = new URL(service.requests[0]?.url ?? '', service.url);
      expect(searchParams.getAll('shop')).to.deep.equal(['a&b']);
      expect(searchParams.getAll('user_id')).to.deep.equal(['7']);
      expect(searchParams.getAll('template')).to.deep.equal(['uniswap-dex']);
    });

    itLong('forty requests at once, and returns the correct answer for each', async () => {
      await using service = await startService((request, response) => {
        const { searchParams } = new URL(request.url ?? '', 'http://service');
        answer(response, { purchased: Number(searchParams.get('user_id')) % 3 === 0 });
      });
      const check = checkAt(service.url);
      const ids = Array.from({ length: 40 }, (_, id) => id);
      const answers = await Promise.all(ids.map((id) => check.has({ ...ada, id: toUserId(id) }, dex)));
      expect(answers).to.deep.equal(ids.map((id) => id % 3 === 0));
    });

    it('nothing if the address or the token is invalid: creating the check throws', () => {
      for (const url of ['', 'shop', 'http://', 'http://user:secret@127.0.0.1/']) {
        expect(() => createRemotePurchaseCheck({ url }), url).to.throw(TypeError);
      }
      expect(() => createRemotePurchaseCheck({ url: 'http://127.0.0.1/', token: 'a\nb' })).to.throw(TypeError);
    });
  });

  describe('accepts', () => {
    const believed: Record<string, [RequestListener, boolean]> = {
      'a yes': [text('{"purchased":true}'), true],
      'a no': [text('{"purchased":false}'), false],
      'an answer with further fields': [text('{"purchased":false,"order":{"id":1,"purchased":true}}'), false],
      'JSON with another content type': [text(yes, 200, { 'Content-Type': 'text/plain' }), true],
      'an answer of 64 KiB': [text(yes.padStart(64 * 1024)), true],
      'a compressed answer': [text(gzipSync(yes), 200, { 'Content-Encoding': 'gzip' }), true],
    };
    for (const [name, [respond, purchased]] of Object.entries(believed)) {
      it(name, async () => {
        await using service = await startService(respond);
        expect(await ask(checkAt(service.url))).to.equal(purchased);
        expect(service.requests).to.have.lengthOf(1);
      });
    }
  });

  describe('tries once more, then throws Unavailable, on', () => {
    const reset: RequestListener = (request) => request.socket.destroy();
    const failures: Record<string, [RequestListener, RegExp]> = {
      'a connection that is reset': [reset, /fetch failed/],
      'a connection that is reset within the body': [
        (_, response) => {
          response.writeHead(200, { 'Content-Length': yes.length }).write(yes.slice(0, 5), () => response.destroy());
        },
        /terminated/,
      ],
      'a complete yes that is shorter than its Content-Length': [
        (_, response) => {
          response.writeHead(200, { 'Content-Length': 100 }).write(yes, () => response.destroy());
        },
        /terminated/,
      ],
      'bytes that are not HTTP': [(request) => request.socket.end('purchased: true\r\n\r\n'), /fetch failed/],
      'status 500': [text('', 500), /status 500/],
      'status 503 with a yes': [text(yes, 503), /status 503/],
      'status 404': [text('', 404), /status 404/],
      'status 404 with a no': [text('{"purchased":false}', 404), /status 404/],
      'status 401': [text('{"error":"unauthorized"}', 401), /status 401/],
      'status 201 with a yes': [text(yes, 201), /status 201/],
      'status 204': [text('', 204), /status 204/],
      'an empty body': [text(''), /JSON/],
      'a body that is not JSON': [text('<html>purchased</html>'), /JSON/],
      'a body with a yes and more text after it': [text(`${yes}${yes}`), /JSON/],
      'bytes that are not text': [text(Buffer.from([0xff, 0xfe, 0x00, 0x80])), /JSON/],
      'a yes as a string': [text('{"purchased":"yes"}'), /purchased/],
      'a yes as a number': [text('{"purchased":1}'), /purchased/],
      'a no as null': [text('{"purchased":null}'), /purchased/],
      'an object without the field': [text('{"Purchased":true}'), /purchased/],
      'a bare true': [text('true'), /expected object/],
      'a bare null': [text('null'), /expected object/],
      'a list': [text(`[${yes}]`), /expected object/],
      'a yes in a body of more than 64 KiB': [text(yes.padStart(64 * 1024 + 1)), /65536 bytes/],
      'a body that does not end': [endless, /65536 bytes/],
      'a small body that unpacks to 64 MiB': [
        text(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')), 200, { 'Content-Encoding': 'gzip' }),
        /65536 bytes/,
      ],
      'a body that is not compressed although its header says so': [
        text(yes, 200, { 'Content-Encoding': 'gzip' }),
        /terminated/,
      ],
    };
    for (const [name, [respond, reason]] of Object.entries(failures)) {
      it(name, async () => {
        await using service = await startService(respond);
        const { cause } = await outage(ask(checkAt(service.url)));
        expect(cause).to.be.an.instanceOf(Error).with.property('message').that.matches(reason);
        expect(service.requests).to.have.lengthOf(2);
      });
    }

    it('status 500 with a body that does not end, and closes the connection', async () => {
      let open = 0;
      const { promise: hungUp, resolve } = deferred();
      await using service = await startService((request, response) => {
        open++;
        request.socket.on('close', () => --open === 0 && resolve());
        response.writeHead(500).write('oops');
      });
      const { cause } = await outage(ask(checkAt(service.url)));
      expect(cause).to.have.property('message').that.includes('status 500');
      expect(service.requests).to.have.lengthOf(2);
      await hungUp;
    });

    for (const status of [301, 302, 307, 308]) {
      it(`a redirect with ${status}, which it does not follow`, async () => {
        await using elsewhere = await startService(fine);
        await using service = await startService(text('', status, { Location: elsewhere.url }));
        const { cause } = await outage(ask(checkAt(service.url, { token: 'sesame' })));
        expect(cause).to.have.property('message').that.includes(`status ${status}`);
        expect(service.requests).to.have.lengthOf(2);
        expect(elsewhere.requests).to.have.lengthOf(0);
      });
    }

    it('a service that is not running', async () => {
      const service = await startService(fine);
      await service[Symbol.asyncDispose]();
      const { cause } = await outage(ask(checkAt(service.url)));
      expect(cause).to.have.nested.property('cause.code', 'ECONNREFUSED');
    });
  });

  describe('succeeds at the second try after', () => {
    for (const [name, first] of Object.entries({
      'status 500': broken,
      'a reset': ((request) => request.socket.destroy()) satisfies RequestListener,
      garbage: text('garbage'),
    })) {
      for (const purchased of [true, false]) {
        it(`${name}, and returns the ${purchased ? 'yes' : 'no'}`, async () => {
          const second: RequestListener = (_, response) => answer(response, { purchased });
          await using service = await startService(oneAfterTheOther(first, second));
          expect(await ask(checkAt(service.url))).to.equal(purchased);
          expect(service.requests).to.have.lengthOf(2);
          expect(service.requests[1]?.url).to.equal(service.requests[0]?.url);
        });
      }
    }
  });

  describe('gives up after its timeout, without another try, on', () => {
    for (const [name, respond] of Object.entries({
      'a service that hangs': hang,
      'a body that comes very slowly': drip,
      'a body that stops coming': stall,
    })) {
      it(name, async () => {
        const { promise: hungUp, resolve } = deferred();
        await using service = await startService((request, response) => {
          request.socket.on('close', resolve);
          respond(request, response);
        });
        const { cause } = await outage(ask(checkAt(service.url, { timeout: 500 })));
        expect(cause).to.have.property('message').that.includes('500ms');
        await hungUp;
        expect(service.requests).to.have.lengthOf(1);
      });
    }

    it('a second try that hangs', async () => {
      await using service = await startService(oneAfterTheOther(broken, hang));
      const { cause } = await outage(ask(checkAt(service.url, { timeout: 500 })));
      expect(cause).to.have.property('message').that.includes('500ms');
      expect(service.requests).to.have.lengthOf(2);
    });
  });

  describe('sends no requests to a failing service', () => {
    it('after five failed checks in a row: the next ones fail immediately', async () => {
      await using service = await startService(broken);
      const check = checkAt(service.url, { pause: 3_600_000 });
      await failTimes(5, check);
      expect(service.requests).to.have.lengthOf(10);
      await failTimes(3, check);
      await Promise.all(Array.from({ length: 20 }, () => outage(ask(check))));
      expect(service.requests).to.have.lengthOf(10);
    });

    it('also if the service hangs', async () => {
      await using service = await startService(hang);
      const check = checkAt(service.url, { timeout: 300, pause: 3_600_000 });
      await Promise.all(Array.from({ length: 5 }, () => outage(ask(check))));
      await failTimes(3, check);
      expect(service.requests).to.have.lengthOf.at.most(5);
    });

    it('but still sends them after four failures, and counts from zero after each answer, also a no', async () => {
      let respond = broken;
      await using service = await startService((request, response) => respond(request, response));
      const check = checkAt(service.url, { pause: 3_600_000 });
      for (const purchased of [false, true]) {
        respond = broken;
        await failTimes(4, check);
        respond = (_, response) => answer(response, { purchased });
        expect(await ask(check)).to.equal(purchased);
      }
      expect(service.requests).to.have.lengthOf(2 * (4 * 2 + 1));
    });

    itLong('until a pause is over, and then sends them again', async () => {
      let respond = broken;
      await using service = await startService((request, response) => respond(request, response));
      const check = checkAt(service.url, { pause: 20 });
      await failTimes(5, check);
      respond = fine;
      await until(() => ask(check).catch(() => false));
      expect(await Promise.all(Array.from({ length: 9 }, () => ask(check)))).to.deep.equal(Array(9).fill(true));
      respond = broken;
      const before = service.requests.length;
      await failTimes(4, check);
      expect(service.requests).to.have.lengthOf(before + 8);
    });

    it('until a pause is over, and then tries one check while the others fail immediately', async () => {
      const held: ServerResponse[] = [];
      const hold: RequestListener = (_, response) => held.push(response);
      await using service = await startService(
        oneAfterTheOther(...Array<RequestListener>(10).fill(broken), hold, fine),
      );
      const check = checkAt(service.url, { pause: 20 });
      await failTimes(5, check);

      const tries: Promise<unknown>[] = [];
      await until(() => {
        tries.push(ask(check).catch((error: unknown) => error));
        return held.length > 0;
      });
      await Promise.all(Array.from({ length: 20 }, () => outage(ask(check))));
      expect(service.requests).to.have.lengthOf(11);

      for (const response of held) answer(response, { purchased: true });
      const outcomes = await Promise.all(tries);
      expect(outcomes.filter((outcome) => outcome === true)).to.have.lengthOf(1);
      expect(outcomes.filter((outcome) => outcome instanceof Unavailable)).to.have.lengthOf(tries.length - 1);
      expect(await ask(check)).to.equal(true);
    });

    itLong('for another pause, if that one check fails', async () => {
      let respond = broken;
      await using service = await startService((request, response) => respond(request, response));
      const { log, lines } = makeLog();
      const check = checkAt(service.url, { pause: 20, log });
      const pauses = () =>
        lines.filter(({ msg }) => msg === 'purchase checks keep failing: none is sent during the pause').length;
      await failTimes(5, check);
      expect(pauses()).to.equal(1);
      await until(async () => {
        await outage(ask(check));
        return pauses() > 1;
      });
      expect(service.requests).to.have.lengthOf(12);
      respond = fine;
      await until(() => ask(check).catch(() => false));
    });

    it('but another check object still sends them to the same service', async () => {
      let respond = broken;
      await using service = await startService((request, response) => respond(request, response));
      const [one, other] = [checkAt(service.url, { pause: 3_600_000 }), checkAt(service.url, { pause: 3_600_000 })];
      await failTimes(5, one);
      respond = fine;
      await outage(ask(one));
      expect(await ask(other)).to.equal(true);
    });
  });

  describe('logs', () => {
    it('each failed check with its reason, the start of a pause, and the recovery', async () => {
      let respond = broken;
      await using service = await startService((request, response) => respond(request, response));
      const { log, lines } = makeLog();
      const check = checkAt(service.url, { pause: 20, log });
      await failTimes(5, check);
      respond = fine;
      await until(() => ask(check).catch(() => false));
      const failed = Array<string>(5).fill('warn: purchase check failed');
      expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).to.deep.equal([
        ...failed.slice(1),
        'warn: purchase checks keep failing: none is sent during the pause',
        ...failed.slice(4),
        'info: purchase checks work again',
      ]);
      expect(lines[0]).to.have.nested.property('err.message').that.includes('status 500');
    });

    itLong('neither the token nor the user and template', async () => {
      const { log, lines } = makeLog();
      for (const respond of [broken, text('garbage'), text('{"purchased":"yes"}'), endless, hang, drip]) {
        await using service = await startService(respond);
        const check = checkAt(service.url, { token: 'sesame', timeout: 300, log });
        await outage(ask(check));
      }
      expect(lines).to.have.lengthOf(6);
      expect(JSON.stringify(lines)).to.not.match(/sesame|dex|mple\.com|user_id/);
    });

    it('nothing if every check succeeds', async () => {
      await using service = await startService(oneAfterTheOther(fine, broken, fine));
      const { log, lines } = makeLog();
      const check = checkAt(service.url, { log });
      expect([await ask(check), await ask(check)]).to.deep.equal([true, true]);
      expect(lines).to.deep.equal([]);
    });
  });
});

function makeLog() {
  const lines: Record<string, unknown>[] = [];
  const options = { formatters: { level: (level: string) => ({ level }) } };
  return { log: pino(options, { write: (line: string) => lines.push(JSON.parse(line)) }), lines };
}

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
