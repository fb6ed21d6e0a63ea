import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { passedPort, WrongSetting } from '../../apps/wiring/config.ts';
import { until } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { needing, requiredService, skipLong } from '../support/required-service.ts';
import { type LogLine, serverProgram } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const nginx = requiredService('TEST_NGINX', 'nginx, such as /usr/sbin/nginx');

needing(skipLong).describe('the port that systemd passes', () => {
  it('is the third file descriptor, for the process that systemd has started', () => {
    expect(passedPort({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 7)).to.equal(3);
    expect(passedPort({ LISTEN_PID: '7', LISTEN_FDS: '1' }, 8), 'a worker').to.equal(undefined);
    expect(passedPort({}, 7)).to.equal(undefined);
    expect(() => passedPort({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7)).to.throw(WrongSetting, 'ListenStream');
  });

  for (const [workers, skip] of [
    ['1', undefined],
    ['2', skipLong],
  ] as const) {
    needing(skip).it(`loses no call while the server restarts (WORKERS=${workers})`, async () => {
      const folder = await makeTemporaryFolder();
      const manager = await startManager(folder, { WORKERS: workers, STOP_DELAY: '0' });
      try {
        await manager.restart(manager.url);
      } finally {
        await manager.end();
        await folder.remove();
      }
    });
  }

  needing(nginx.skip ?? skipLong).it(
    'loses no call behind nginx-one-server.conf while the server restarts',
    async () => {
      const folder = await makeTemporaryFolder();
      const manager = await startManager(folder, { STOP_DELAY: '5' }); // As in latchkey.service.
      const port = await freePort();
      const file = new URL('../../apps/deploy/nginx-one-server.conf', import.meta.url);
      const ours = (await readFile(fileURLToPath(file), 'utf8'))
        .replace('listen 80;', `listen 127.0.0.1:${port};`)
        .replace('listen [::]:80;', '')
        .replace('127.0.0.1:3000', new URL(manager.url).host);
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      const temporary = kinds.map((kind) => `${kind}_temp_path ${folder.file(kind)};`).join('\n');
      await writeFile(folder.file('nginx.conf'), `events {}\nhttp {\n${temporary}\n${ours}\n}\n`);
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      const globals = `daemon off; pid ${folder.file('pid')}; error_log ${folder.file('errors')}; ${user}`;
      const args = ['-p', folder.path, '-c', folder.file('nginx.conf'), '-e', folder.file('errors'), '-g', globals];
      const proxy = spawn(nginx.url ?? '', args, { stdio: ['ignore', 'inherit', 'inherit'] });
      try {
        const url = `http://127.0.0.1:${port}`;
        await until(async () => proxy.exitCode !== null || (await isUp(url)));
        await manager.restart(url);
      } finally {
        await ended(proxy);
        await manager.end();
        await folder.remove();
      }
    },
  );
});

/** Opens a port like systemd, and starts the server again and again with it. It is blocked meanwhile, so it never accepts. */
const manager = `
const { spawnSync } = require('node:child_process');
const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {
  const command = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$1" serve';
  const stdio = ['inherit', 'inherit', 'inherit', server._handle.fd];
  for (let code = 0; code === 0; ) code = spawnSync('sh', ['-c', command, process.execPath, process.argv[1]], { stdio }).status;
});
`;

async function startManager(folder: TemporaryFolder, settings: Record<string, string>) {
  const child = spawn(process.execPath, ['-e', manager, serverProgram], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: folder.path,
      DATABASE_URL: `sqlite:${folder.file('passed.db')}`,
      FILES_URL: `disk:${folder.file('files')}`,
      RATE_LIMIT_URL: 'off:',
      PORT: '1', // Must not be used.
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log: LogLine[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => log.push(JSON.parse(text)));
  const starts = () => log.filter(({ msg }) => msg === 'listening');
  await until(async () => child.exitCode !== null || starts().length > 0);
  return {
    url: `http://127.0.0.1:${starts()[0]?.port}`,
    /** Restarts the server while clients call it with GET and POST, and expects a response of the server to each call. */
    async restart(url: string): Promise<void> {
      const statuses = new Set<number | string>();
      let isOver = false;
      const callers = Array.from({ length: 8 }, async (_, index) => {
        while (!isOver) statuses.add(await statusOf(url, index % 2 === 0 ? 'GET' : 'POST'));
      });
      const before = starts().length;
      process.kill(Number(starts().at(-1)?.pid), 'SIGTERM');
      await until(async () => child.exitCode !== null || starts().length > before);
      isOver = true;
      await Promise.all(callers);
      expect([...statuses]).to.deep.equal([422]);
    },
    async end(): Promise<void> {
      child.kill('SIGTERM'); // First, so that it starts no other.
      process.kill(Number(starts().at(-1)?.pid), 'SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Calls on a connection of its own. Returns the reason if there is no response. */
async function statusOf(url: string, method: 'GET' | 'POST'): Promise<number | string> {
  const path = method === 'GET' ? '/verify' : '/activate';
  return await fetch(url + path, { method, headers: { Connection: 'close' } }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    (error) => String(error.cause?.code ?? error),
  );
}

const isUp = async (url: string) => (await statusOf(url, 'GET')) === 422;

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
