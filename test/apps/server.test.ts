import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { variables } from '../../apps/config.ts';
import { runServerProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

describe('the server process', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());
  const database = (name: string) => ({ DATABASE_URL: `sqlite:${folder.file(name)}` });

  it('answers what is in flight, closes and exits 0 on SIGTERM, and accepts nothing more', async () => {
    const server = await startServer(database('stop.db'));
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
    // The head of the slow request has arrived once a later request on another connection was answered.
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

  describe('ends in one line and exit code 1', () => {
    const fails = async (settings: Record<string, string>, says: RegExp) => {
      const { code, stderr } = await runServerProgram(['serve'], { ...database('never.db'), PORT: '0', ...settings });
      expect(code).to.equal(1);
      expect(stderr.trimEnd().split('\n')).to.have.length(1);
      expect(stderr).to.match(says);
    };

    it('where the port is taken', async () => {
      const squatter = createServer().listen(0, '127.0.0.1');
      await once(squatter, 'listening');
      const { port } = squatter.address() as { port: number };
      await fails({ HOST: '127.0.0.1', PORT: String(port) }, new RegExp(`Port ${port} on 127.0.0.1 is taken`));
      squatter.close();
    });

    it('where the folder of the database cannot be made', async () => {
      const file = folder.file('a-file');
      writeFileSync(file, '');
      await fails({ DATABASE_URL: `sqlite:${file}/x.db` }, /a-file/);
    });

    it('where the file is no database', async () => {
      const file = folder.file('text.db');
      writeFileSync(file, 'This is not a database, but it is long enough to be looked at as one.'.repeat(20));
      await fails({ DATABASE_URL: `sqlite:${file}` }, /not an SQLite database/);
    });

    it('where a setting is wrong, naming it', async () => {
      await fails({ PORT: '70000' }, /PORT=70000/);
      await fails({ DATABASE_URL: 'mysql://x' }, /DATABASE_URL=mysql/);
      await fails({ RATE_LIMIT_VERIFY: 'many' }, /RATE_LIMIT_VERIFY=many/);
      await fails({ TRUSTED_PROXIES: 'nonsense' }, /TRUSTED_PROXIES/);
      await fails({ BASE_URL: 'ftp://x' }, /BASE_URL/);
    });
  });

  it('lists every setting with its default in --help', async () => {
    const { code, stdout } = await runServerProgram(['--help']);
    expect(code).to.equal(0);
    for (const [name, { fallback }] of Object.entries(variables)) {
      expect(stdout).to.include(name);
      expect(stdout).to.include(`[${fallback}]`);
    }
  });

  it('serves metrics on a port of their own where one is set', async () => {
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
