import { Agent, get } from 'node:http';
import { text as everythingOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { until } from '../support/eventually.ts';
import { dial } from '../support/raw-http.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { runServerProgram, type ServerProcess, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

needing(skipLong).describe('several workers on one port', () => {
  let folder: TemporaryFolder;
  let server: ServerProcess;
  before(async () => {
    folder = await makeTemporaryFolder();
    server = await startServer({
      DATABASE_URL: `sqlite:${folder.file('cluster.db')}`,
      RATE_LIMIT_URL: 'memory:',
      WORKERS: '3',
      METRICS_PORT: '0',
      TRUSTED_PROXIES: 'loopback',
      REQUEST_TIMEOUT: '1',
    });
  });
  after(async () => {
    await server.stop('SIGTERM');
    await folder.remove();
  });

  /** Uses a new connection for each call, so that every worker gets calls. */
  const call = async (path: string, { method = 'GET', client = '192.0.2.1' } = {}) =>
    (await fetch(server.url + path, { method, headers: { Connection: 'close', 'X-Forwarded-For': client } })).status;

  /** Returns how often a worker counted alone because the primary did not reply in time, as on a busy machine. */
  const timesCountedAlone = () => linesWith(/^the primary does not respond/);
  const linesWith = (text: RegExp) => server.log.filter(({ msg }) => text.test(String(msg))).length;

  it('allow together exactly as many calls as one process, although calls are counted in memory', async () => {
    for (let attempt = 1; ; attempt++) {
      await until(() => timesCountedAlone() <= linesWith(/^the primary responds again/));
      const before = timesCountedAlone();
      const client = `192.0.2.${attempt}`;
      const calls = Array.from({ length: 50 }, () => call('/activate', { method: 'POST', client }));
      const statuses = await Promise.all(calls);
      if (timesCountedAlone() > before && attempt < 10) continue;
      expect(
        statuses.filter((status) => status === 422),
        String(statuses),
      ).to.have.length(30);
      expect(statuses.filter((status) => status === 429)).to.have.length(20);
      break;
    }
  });

  it('have the time limits of a single server for clients that are too slow', async () => {
    const slow = await everythingOf(await dial(server.url, 'GET /verify HTTP/1.1\r\n'));
    expect(slow).to.match(/^HTTP\/1\.1 408 /);
  });

  const metrics = async () => {
    const { port } = server.log.find(({ msg }) => msg === 'metrics listening') ?? {};
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  };

  it('report their metrics together', async () => {
    for (let calls = 0; calls < 12; calls++) await call('/verify');
    expect(await metrics()).to.include('latchkey_verifications_total{outcome="validation_error"} 12');
    expect(await metrics()).to.match(
      timesCountedAlone() > 0 ? /^latchkey_rate_limiter_shared 0$/m : /^latchkey_rate_limiter_shared 1$/m,
    );
  });

  it('keep answering while their primary is frozen, and report afterwards that they counted separately', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const status = () =>
      new Promise((resolve, reject) => {
        get(`${server.url}/status`, { agent }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        }).on('error', reject);
      });
    expect(await status()).to.equal(422); // From here on, the connection belongs to a worker.
    server.child.kill('SIGSTOP');
    try {
      expect([await status(), await status()]).to.deep.equal([422, 422]);
    } finally {
      server.child.kill('SIGCONT');
      agent.destroy();
    }
    expect(await metrics()).to.match(/^latchkey_rate_limiter_shared 0$/m);
  });

  it('are replaced when they die', async () => {
    const worker = server.log.find(({ msg }) => msg === 'request')?.pid;
    const died = logged(server, ({ msg, worker: pid }) => msg === 'a worker died' && pid === worker);
    const replaced = died.then(() => logged(server, ({ msg }) => msg === 'worker listening'));
    process.kill(Number(worker), 'SIGKILL');
    await replaced;
    expect(await call('/health/ready')).to.equal(200);
  });
});

needing(skipLong).describe('a process that serves one surface', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  const paths = ['/verify', '/api/license/verify', '/api/auth/me', '/docs', '/health/ready'];
  const expected = { license: [422, 422, 404, 404, 200], account: [404, 404, 401, 200, 200] } as const;

  for (const surface of ['license', 'account'] as const) {
    it(`returns 404 for the other surface (${surface})`, async () => {
      await using server = await startServer({
        DATABASE_URL: `sqlite:${folder.file(`${surface}.db`)}`,
        SURFACE: surface,
      });
      const statuses = await Promise.all(paths.map(async (path) => (await fetch(server.url + path)).status));
      expect(statuses).to.deep.equal(expected[surface]);
    });
  }
});

needing(skipLong).describe('workers that cannot start', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  const fails = async (settings: Record<string, string>, says: RegExp) => {
    const { code, stderr } = await runServerProgram(['serve', '--workers', '2'], { PORT: '0', ...settings });
    expect(code).to.equal(1);
    expect(stderr).to.match(/^latchkey-server: [^\n]+\n$/);
    expect(stderr).to.match(says);
  };

  it('end with one line and exit code 1 if the address is not available', async () => {
    await fails({ DATABASE_URL: `sqlite:${folder.file('x.db')}`, HOST: '192.0.2.1' }, /192\.0\.2\.1/);
  });

  it('all end, with one line and exit code 1, if the folder of files cannot be created', async () => {
    // The output ends when the last process that uses it has ended.
    const database = { DATABASE_URL: `sqlite:${folder.file('y.db')}` };
    await fails({ ...database, FILES_URL: 'disk:/proc/none/files' }, /\/proc\/none/);
  });

  it('refuse data in memory and temporary files, which they could not share', async () => {
    await fails({ DATABASE_URL: 'memory:' }, /memory:/);
    await fails({ DATABASE_URL: `sqlite:${folder.file('x.db')}`, FILES_URL: 'temporary:' }, /temporary:/);
  });
});

/** Resolves when the server logs such a line after this call. */
function logged(server: ServerProcess, isIt: (line: Record<string, unknown>) => boolean): Promise<void> {
  const seen = server.log.length;
  return until(() => server.log.slice(seen).some(isIt));
}
