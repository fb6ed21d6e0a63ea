import { once } from 'node:events';
import { stat } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { ClientAddress } from '../../../adapters/http/client-address.ts';
import type { ConnectionLimits } from '../../../adapters/http/connections.ts';
import { createHttpServer } from '../../../adapters/http/server.ts';
import { until } from '../../support/eventually.ts';
import { dial, raw } from '../../support/raw-http.ts';
import { itLong } from '../../support/required-service.ts';
import { startService } from './license/license-service.ts';

async function startServerWith(
  listener: RequestListener,
  limits: Partial<ConnectionLimits> & { readonly clientAddress?: ClientAddress } = {},
) {
  const server = createHttpServer(listener, { request: 20_000, ...limits });
  const { port } = await server.listen(0, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.close(0) };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Returns everything that is received until the connection ends in any way. */
function everything(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  return new Promise((resolve) => {
    socket.on('close', () => resolve(received));
  });
}

/** Sends endlessly, as fast as the server reads. */
function flood(socket: Socket, bytes: string): void {
  const block = Buffer.from(bytes.repeat(Math.ceil(65_536 / bytes.length)));
  const more = (error?: Error | null) => {
    if (!error && !socket.destroyed) socket.write(block, more);
  };
  more();
}

describe('pipelined requests on a connection', () => {
  itLong('are handled a few at a time, and all answered in their order', async () => {
    let open = 0;
    let most = 0;
    await using server = await startServerWith(
      (request, response) => {
        most = Math.max(most, ++open);
        setImmediate(() => {
          open -= 1;
          response.end(`${request.url};${'x'.repeat(5_000)}`);
        });
      },
      { pipelined: 4 },
    );
    const paths = Array.from({ length: 1_500 }, (_, index) => `/${index}`);
    const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const socket = await dial(server.url, paths.map(get).join('') + last);
    const answered = [...(await everything(socket)).matchAll(/\/(\w+);/g)].map(([, path]) => `/${path}`);
    expect(answered).to.deep.equal([...paths, '/last']);
    expect(most).to.be.at.most(4);
  });

  itLong('may have bodies, which are read completely, however slow the reader is', async () => {
    await using server = await startServerWith(
      async (request, response) => {
        let length = 0;
        for await (const chunk of request) {
          length += chunk.length;
          await nextTurn();
        }
        response.end(`${length};`);
      },
      { pipelined: 2 },
    );
    const body = 'x'.repeat(300_000);
    const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const socket = await dial(server.url, get('/').repeat(50) + post + get('/').repeat(5) + post + last);
    const lengths = [...(await everything(socket)).matchAll(/(\d+);/g)].map(([, length]) => Number(length));
    const none = (count: number) => Array(count).fill(0);
    expect(lengths).to.deep.equal([...none(50), body.length, ...none(5), body.length, 0]);
  });

  itLong('are not read while too many are unanswered, and are read again once those are answered', async () => {
    const waiting: ServerResponse[] = [];
    await using server = await startServerWith(
      (_, response) => {
        waiting.push(response);
      },
      { pipelined: 4 },
    );
    const socket = await dial(server.url, '');
    flood(socket, get('/x'));
    await until(() => waiting[0]?.req.socket.isPaused() === true);
    const read = () => waiting[0]?.req.socket.bytesRead ?? 0;
    expect(waiting).to.have.length(4);
    expect(read()).to.be.at.most(131_072);
    const before = read();
    socket.resume();
    let answered = 0;
    await until(() => {
      for (; answered < waiting.length; answered++) waiting[answered]?.end();
      return read() > before + 200_000;
    });
    socket.destroy();
  });

  it('make the server close their connection if too many are waiting on all connections together', async () => {
    const waiting: ServerResponse[] = [];
    await using server = await startServerWith((_, response) => waiting.push(response), { pipelined: 5, held: 10 });
    const modest = await dial(server.url, get('/').repeat(5));
    await until(() => waiting.length === 5);
    expect(await everything(await dial(server.url, get('/').repeat(100)))).to.equal('');
    for (const response of waiting) response.end('done');
    let received = '';
    modest.on('data', (chunk) => {
      received += chunk;
    });
    await until(() => received.split('done').length === 6);
    modest.destroy();
  });
});

describe('a client that does not read its answer', () => {
  const body = Buffer.alloc(20_000_000);

  itLong('is disconnected, although it keeps sending', async () => {
    let response: ServerResponse | undefined;
    await using server = await startServerWith(
      (_, given) => {
        response = given;
        given.end(body);
      },
      { stall: 200 },
    );
    const socket = await dial(server.url, get('/'));
    socket.pause();
    socket.on('error', () => undefined);
    const trickle = setInterval(() => socket.write('\r\n'), 20);
    try {
      await until(() => response?.req.socket.destroyed === true);
    } finally {
      clearInterval(trickle);
      socket.destroy();
    }
  });

  itLong('gets the whole answer if it reads a little now and then', async () => {
    await using server = await startServerWith((_, response) => response.end(body), { stall: 1_500 });
    const socket = await dial(server.url, get('/').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    let received = 0;
    socket.pause();
    socket.on('data', async (chunk) => {
      received += chunk.length;
      socket.pause();
      await pause(10);
      socket.resume();
    });
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    expect(received).to.be.greaterThan(body.length);
  });
});

describe('responses that are not read', () => {
  const body = Buffer.alloc(20_000_000);
  /** The first letter of the path stands for the client's address, as if a trusted proxy named it. */
  const clientAddress: ClientAddress = ({ url = '' }) => url.slice(1, 2);

  /** A server whose responses to paths with `unread` are larger than the buffers of the operating system. */
  async function startServer(limits: Partial<ConnectionLimits>) {
    const started: string[] = [];
    const responses = new Map<string, ServerResponse>();
    const server = await startServerWith(
      (request, response) => {
        started.push(request.url ?? '');
        responses.set(request.url ?? '', response);
        if (!request.url?.includes('unread')) response.end('answer');
      },
      { clientAddress, ...limits },
    );
    /** Asks, and reads nothing. */
    const ask = async (path: string) => {
      const socket = await dial(server.url, get(path));
      socket.pause();
      socket.on('error', () => undefined);
      return socket;
    };
    const writeAll = () => {
      for (const response of responses.values()) if (!response.writableEnded) response.end(body);
    };
    const isClosed = (path: string) => responses.get(path)?.req.socket.destroyed;
    /** Asks on a new connection, and waits for the answer. All that was sent before has been read then. */
    const asked = async (path: string) => {
      const socket = await dial(server.url, get(path));
      expect(String(await once(socket, 'data'))).to.include('answer');
      socket.destroy();
    };
    return { started, ask, asked, writeAll, isClosed, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
  }

  it('keep the next request of their connection waiting until they are read', async () => {
    await using server = await startServer({ unread: 1_000_000_000 });
    const socket = await server.ask('/a-unread');
    await until(() => server.started.length === 1);
    server.writeAll();
    socket.write(get('/a-next'));
    await server.asked('/b');
    expect(server.started).to.deep.equal(['/a-unread', '/b']);
    socket.resume();
    await until(() => server.started.includes('/a-next'));
    socket.destroy();
  });

  for (const [how, goOn] of [
    ['they are read', (socket: Socket) => socket.resume()],
    ['their client hangs up', (socket: Socket) => socket.resetAndDestroy()],
  ] as const) {
    it(`keep further requests of their address waiting, and of no other, until ${how}`, async () => {
      await using server = await startServer({ unread: 60_000_000 });
      const socket = await server.ask('/a-unread');
      await until(() => server.started.length === 1);
      server.writeAll();
      const other = await server.ask('/a-other');
      await server.asked('/b');
      expect(server.started).to.deep.equal(['/a-unread', '/b']);
      goOn(socket);
      await until(() => server.started.includes('/a-other'));
      for (const one of [socket, other]) one.destroy();
    });
  }

  it('make the server close a connection of the address with the most, if they are too many in all', async () => {
    await using server = await startServer({ unread: 70_000_000 });
    const paths = ['/b-unread', '/a-unread-1', '/a-unread-2', '/c-unread'];
    const sockets = await Promise.all(paths.map(server.ask));
    await until(() => server.started.length === 4);
    server.writeAll();
    await until(() => paths.some(server.isClosed));
    expect([server.isClosed('/b-unread'), server.isClosed('/c-unread')]).to.deep.equal([false, false]);
    expect(paths.filter(server.isClosed)).to.have.length(1);
    for (const socket of sockets) socket.destroy();
  });

  it('do not let the requests behind them run when their client has hung up', async () => {
    await using server = await startServer({ pipelined: 1 });
    const socket = await server.ask('/a-unread');
    socket.write(get('/a-1') + get('/a-2'));
    await until(() => server.started.length === 1);
    server.writeAll();
    socket.resetAndDestroy();
    await until(() => server.isClosed('/a-unread') === true);
    await server.asked('/b');
    expect(server.started).to.deep.equal(['/a-unread', '/b']);
  });
});

describe('connections over the limit', () => {
  itLong('replace one whose client does not read its answer, if none is idle', async () => {
    const responses: ServerResponse[] = [];
    await using server = await startServerWith(
      (_, response) => {
        responses.push(response);
        if (responses.length === 1) response.end(Buffer.alloc(50_000_000));
        else if (responses.length > 2) response.end('served');
      },
      { connections: 2, stall: 2_000 },
    );
    const unread = await dial(server.url, get('/unread'));
    unread.pause();
    unread.on('error', () => undefined);
    const busy = await dial(server.url, get('/busy'));
    await until(() => responses.length === 2);
    const ask = async () =>
      await everything(await dial(server.url, get('/next').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')));
    let answer = await ask();
    while (!answer.endsWith('served')) answer = await ask(); // It is 503 until the server has noticed that a client does not read.
    expect(responses[0]?.req.socket.destroyed).to.equal(true);
    expect(responses[1]?.req.socket.destroyed).to.equal(false);
    for (const socket of [unread, busy]) socket.destroy();
  });

  it('replace an idle connection, and get 503 while all are busy', async () => {
    const waiting: ServerResponse[] = [];
    await using server = await startServerWith((_, response) => waiting.push(response), { connections: 2 });
    const idle = await dial(server.url, '');
    const busy = await dial(server.url, get('/busy'));
    await until(() => waiting.length === 1);
    const idleEnded = everything(idle);
    const second = await dial(server.url, get('/second'));
    expect(await idleEnded).to.equal('');
    await until(() => waiting.length === 2);
    const refused = await everything(await dial(server.url, ''));
    expect(refused).to.match(/^HTTP\/1\.1 503 /);
    expect(refused).to.match(/^Retry-After: 1\r$/m);
    expect(refused).to.include('"error":"service_unavailable"');
    expect(waiting).to.have.length(2);
    for (const response of waiting) response.end('done');
    for (const socket of [busy, second]) expect(String(await once(socket, 'data'))).to.include('done');
    for (const socket of [busy, second]) socket.destroy();
  });
});

describe('garbage after a request', () => {
  it('closes the connection, and adds nothing to the answer that is being sent', async () => {
    await using server = await startServerWith((_, response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('half of it');
    });
    const socket = await dial(server.url, get('/'));
    const received = everything(socket);
    await once(socket, 'data');
    socket.write('nonsense\r\n\r\n');
    expect(await received).to.match(/half of it$/);
  });

  it('gets no 400, which would look like the answer to the request before it', async () => {
    await using server = await startServerWith(() => undefined);
    expect(await everything(await dial(server.url, `${get('/')}nonsense\r\n\r\n`))).to.equal('');
  });

  it('gets 400 if it is in the body of the request', async () => {
    await using server = await startServerWith(() => undefined);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await everything(await dial(server.url, `${head}nonsense\r\n\r\n`))).to.match(/^HTTP\/1\.1 400 /);
  });

  itLong('gets only one 400 if it is the whole input, and is not read for ever', async () => {
    await using server = await startServerWith(() => undefined);
    const socket = await dial(server.url, 'nonsense\r\n\r\n');
    socket.on('error', () => undefined);
    const received = everything(socket);
    flood(socket, 'more of it');
    expect((await received).split('HTTP/1.1')).to.have.length(2);
  });
});

describe('a refused request with a body', () => {
  const head = 'POST /api/marketplace/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 6000000000\r\n\r\n';

  it('gets its refusal while the body is still arriving, and the server does not read the rest', async () => {
    let taken: Socket | undefined;
    await using server = await startServerWith(async (request, response) => {
      taken = request.socket;
      await once(request, 'readable');
      response.writeHead(401).end('refused');
    });
    const socket = await dial(server.url, head);
    socket.on('error', () => undefined);
    const received = everything(socket);
    flood(socket, 'x');
    expect(await received).to.match(/^HTTP\/1\.1 401 [\s\S]*refused/);
    expect(taken?.bytesRead).to.be.lessThan(400_000);
  });

  itLong('gets `Connection: close`, and is disconnected soon if nothing more arrives', async () => {
    await using service = await startService();
    const socket = await dial(service.url, head);
    const received = await everything(socket);
    expect(received).to.match(/^HTTP\/1\.1 401 /);
    expect(received).to.match(/^Connection: close\r$/im);
  });

  it('keeps its connection if the body came together with the head', async () => {
    await using service = await startService();
    const request = 'POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody';
    const socket = await dial(service.url, request);
    const first = String((await once(socket, 'data'))[0]);
    expect(first).to.match(/^HTTP\/1\.1 404 /);
    expect(first).to.match(/^Connection: keep-alive\r$/im);
    socket.destroy();
  });
});

describe('the Host header', () => {
  const envelopes = {
    '/verify?domain=a.com': '"valid":false,"error":"bad_request"',
    '/status': '"success":false,"error":"bad_request"',
    '/api/auth/me': '"error":{"code":"BAD_REQUEST"',
    '/marketplace/x': '"error":{"code":"BAD_REQUEST"',
    '/health/live': '"success":false,"error":"bad_request"',
  };
  for (const [path, body] of Object.entries(envelopes)) {
    it(`400 for ${path} without a Host header or with two, in the envelope of its surface`, async () => {
      await using service = await startService();
      for (const hosts of ['', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n']) {
        const answer = await raw(service.url, `GET ${path} HTTP/1.1\r\n${hosts}\r\n`);
        expect(answer).to.match(/^HTTP\/1\.1 400 /);
        expect(answer).to.match(/^Content-Type: application\/json/im);
        expect(answer).to.include(body);
      }
    });
  }

  it('may be missing in HTTP/1.0', async () => {
    await using service = await startService();
    expect(await raw(service.url, 'GET /health/live HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
  });
});

describe('Strict-Transport-Security', () => {
  const headersWith = async (settings: Record<string, string>) => {
    await using service = await startService({ settings });
    const header = async (path: string) => (await service.send(path)).headers.get('strict-transport-security');
    const paths = ['/verify', '/verify/', '/nowhere', '/health/live', '/api/auth/me', '/docs', '/media/x.png'];
    return await Promise.all(paths.map(header));
  };
  const year = 'max-age=31536000';

  itLong('is sent by each surface whose public address is https:, without includeSubDomains', async () => {
    expect(await headersWith({})).to.deep.equal(Array(7).fill(null));
    expect(await headersWith({ BASE_URL: 'https://a.example' })).to.deep.equal(Array(7).fill(year));
    const license = [year, year, year, year, null, null, null];
    expect(await headersWith({ VERIFY_URL: 'https://a.example' })).to.deep.equal(license);
    const account = [null, null, null, null, year, year, year];
    expect(await headersWith({ BASE_URL: 'https://a.example', VERIFY_URL: 'http://b.example' })).to.deep.equal(account);
  });

  itLong('has includeSubDomains if HSTS_INCLUDE_SUBDOMAINS is true', async () => {
    const settings = { BASE_URL: 'https://a.example', HSTS_INCLUDE_SUBDOMAINS: 'true' };
    expect(await headersWith(settings)).to.deep.equal(Array(7).fill(`${year}; includeSubDomains`));
  });
});

describe('a server that shuts down', () => {
  const open = async () => {
    const server = createHttpServer((_request, response) => void response.end('answer'), { request: 20_000 });
    const { port } = await server.listen(0, '127.0.0.1');
    const socket = await dial(`http://127.0.0.1:${port}`, get('/first'));
    await once(socket, 'data');
    return { server, socket, url: `http://127.0.0.1:${port}` };
  };

  it('answers one more request on an open connection, and then closes the connection', async () => {
    const { server, socket } = await open();
    const closed = server.close(8_000);
    const received = everything(socket);
    socket.write(get('/second'));
    expect(await received).to.match(/^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n.*answer/s);
    await closed;
  });

  it('answers connections that it has not accepted yet when its port closes', async () => {
    const { server, socket, url } = await open();
    socket.destroy();
    await promisify(stat)('.'); // From here on, Node does not look for connections until the next turn of its loop.
    const clients = Array.from({ length: 5 }, () => dial(url, get('/late')));
    await new Promise<void>((resolve) => process.nextTick(resolve)); // The operating system has made the connections.
    const closed = server.close(8_000);
    const answers = await Promise.all(clients.map(async (client) => everything(await client)));
    for (const text of answers) expect(text).to.match(/^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n/s);
    await closed;
  });

  it('accepts new connections while it drains, and closes each after its answer', async () => {
    const { server, socket, url } = await open();
    server.drain();
    const received = everything(socket);
    socket.write(get('/second'));
    expect(await received).to.match(/\r\nConnection: close\r\n/);
    const other = await everything(await dial(url, get('/third')));
    expect(other).to.match(/\r\nConnection: close\r\n/);
    await server.close(0);
  });
});
