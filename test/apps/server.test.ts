import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { variables } from '../../apps/wiring/settings.ts';
import { itLong, needing, skipLong } from '../support/required-service.ts';
import { runServerProgram, serverProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

describe('the server process', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());
  const database = (name: string) => ({ DATABASE_URL: `sqlite:${folder.file(name)}` });

  itLong('answers running requests on SIGTERM, accepts no new connections, and ends with exit code 0', async () => {
    const server = await startServer(database('stop.db'));
    const said = server.log.some(({ msg }) => /^calls are not limited; sign-in,/.test(String(msg)));
    expect(said, 'that RATE_LIMIT_URL=off: leaves some limits').to.equal(true);
    const body = JSON.stringify({ license_key: 'LIC-0000-0000-0000-0001', domain: 'a.com' });
    let finish = () => {};
    const slow = fetch(`${server.url}/activate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
      duplex: 'half',
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(body.slice(0, 10)));
          finish = () => {
            controller.enqueue(new TextEncoder().encode(body.slice(10)));
            controller.close();
          };
        },
      }),
    } as RequestInit);
    // The server has received the head of the slow request when it has answered a later request on another connection.
    await fetch(`${server.url}/health/live`, { headers: { Connection: 'close' } });
    const stopped = server.stop('SIGTERM');
    await refusesConnections(server.url);
    finish();
    const answer = await slow;
    expect(answer.status).to.equal(404);
    expect(answer.headers.get('connection')).to.equal('close');
    expect(await answer.json()).to.include({ error: 'invalid_key' });
    expect(await stopped).to.equal(0);
    expect(server.log.at(-1)).to.include({ msg: 'stopped' });
  });

  itLong(
    'is not ready for STOP_DELAY seconds, still answers all requests with Connection: close, and ignores further signals',
    async () => {
      const server = await startServer({ ...database('delay.db'), STOP_DELAY: '5' });
      const agent = new Agent({ keepAlive: true, maxSockets: 4 });
      const call = (path: string) =>
        new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
          get(`${server.url}${path}`, { agent }, (response) => {
            const { statusCode: status, headers } = response;
            response.resume().on('end', () => resolve({ status, connection: headers.connection }));
          }).on('error', reject);
        });
      expect(await call('/health/ready')).to.deep.equal({ status: 200, connection: 'keep-alive' });
      const stopped = server.stop('SIGHUP');
      let answer = await call('/health/ready');
      while (answer.status === 200) answer = await call('/health/ready');
      expect(answer).to.deep.equal({ status: 503, connection: 'close' });
      server.child.kill('SIGTERM');
      server.child.kill('SIGHUP');
      const answers = await Promise.all(Array.from({ length: 40 }, () => call('/verify')));
      for (const one of answers) expect(one).to.deep.equal({ status: 422, connection: 'close' });
      expect(await stopped).to.equal(0);
      expect(server.log.at(-1)).to.include({ msg: 'stopped' });
      agent.destroy();
    },
  );

  needing(skipLong).describe('ends with one line and exit code 1', () => {
    const fails = async (settings: Record<string, string>, says: RegExp) => {
      const { code, stderr } = await runServerProgram(['serve'], { ...database('never.db'), PORT: '0', ...settings });
      expect(code).to.equal(1);
      expect(stderr.trimEnd().split('\n')).to.have.length(1);
      expect(stderr).to.match(says);
    };

    it('if the port is taken', async () => {
      const squatter = createServer().listen(0, '127.0.0.1');
      await once(squatter, 'listening');
      const { port } = squatter.address() as { port: number };
      await fails({ HOST: '127.0.0.1', PORT: String(port) }, new RegExp(`Port ${port} on 127.0.0.1 is taken`));
      squatter.close();
    });

    it('if the folder of the database cannot be created', async () => {
      const file = folder.file('a-file');
      writeFileSync(file, '');
      await fails({ DATABASE_URL: `sqlite:${file}/x.db` }, /a-file/);
    });

    it('if the folder of files cannot be created', async () => {
      const file = folder.file('not-a-folder');
      writeFileSync(file, '');
      await fails({ FILES_URL: `disk:${file}/files` }, /A part of .*not-a-folder/);
      await fails({ FILES_URL: 'disk:/proc/none/files' }, /proc\/none/);
    });

    it('if RATE_LIMIT_URL cannot be parsed', async () => {
      await fails({ RATE_LIMIT_URL: 'redis://:%zz@127.0.0.1' }, /RATE_LIMIT_URL must be .* it cannot be read/);
      await fails({ RATE_LIMIT_URL: 'redis://127.0.0.1/abc' }, /RATE_LIMIT_URL must be .* the number of a database/);
    });

    it('if it may open too few files', async function () {
      // These versions open so few files that the server starts.
      if (Number.parseInt(process.versions.node, 10) >= 22) this.skip();
      const env = { PATH: process.env.PATH, PORT: '0', ...database('few.db') };
      const command = 'ulimit -n 30 && exec "$0" "$1" serve';
      const run = promisify(execFile)('sh', ['-c', command, process.execPath, serverProgram], { env });
      const { code, stderr } = await run.catch((error) => error);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^latchkey-server: .*ulimit -n[^\n]*\n$/);
    });

    it('if the port for metrics is taken, and serves nothing before', async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      for (const WORKERS of ['1', '2']) {
        const settings = { ...database('taken.db'), PORT: '0', METRICS_PORT: String(port), WORKERS };
        const { code, stdout, stderr } = await runServerProgram(['serve'], settings);
        expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
        expect(stderr).to.equal(
          `latchkey-server: Port ${port} on 127.0.0.1 is taken: set PORT (or METRICS_PORT) to a free one.\n`,
        );
      }
      expect(await readdir(folder.path)).to.not.include('taken.db');
      taken.close();
    });

    it('if the file is not a database', async () => {
      const file = folder.file('text.db');
      writeFileSync(file, 'This is not a database, but it is long enough to be looked at as one.'.repeat(20));
      await fails({ DATABASE_URL: `sqlite:${file}` }, /not an SQLite database/);
    });

    it('if a setting is invalid, and names the setting', async () => {
      await fails({ PORT: '70000' }, /PORT must be a whole number from 0 to 65535, such as 3000/);
      await fails({ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be sqlite:/);
      await fails({ RATE_LIMIT_VERIFY: 'many' }, /RATE_LIMIT_VERIFY must be a whole number/);
      await fails({ TRUSTED_PROXIES: 'nonsense' }, /TRUSTED_PROXIES must be/);
      await fails({ BASE_URL: 'ftp://x' }, /BASE_URL must be/);
    });
  });

  itLong('lists every setting with its default in --help', async () => {
    const { code, stdout } = await runServerProgram(['--help']);
    expect(code).to.equal(0);
    for (const [name, { fallback }] of Object.entries(variables)) {
      expect(stdout).to.include(name);
      expect(stdout).to.include(`[${fallback}]`);
    }
  });

  itLong('serves metrics on a separate port if METRICS_PORT is set', async () => {
    await using server = await startServer({ ...database('metrics.db'), METRICS_PORT: '0' });
    await fetch(`${server.url}/verify`);
    const port = server.log.find(({ msg }) => msg === 'metrics listening')?.port;
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).to.include('latchkey_verifications_total{outcome="validation_error"} 1');
  });
});

/** Resolves when a new connection is refused. */
async function refusesConnections(url: string): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    try {
      await fetch(`${url}/health/live`, { headers: { Connection: 'close' } });
    } catch {
      return;
    }
  }
}
