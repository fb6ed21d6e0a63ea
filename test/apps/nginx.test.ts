import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, openAsBlob } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ZipFile } from 'yazl';
import { until } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { needing, requiredService } from '../support/required-service.ts';
import { runCommand } from '../support/run-command.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const nginx = requiredService('TEST_NGINX', 'nginx, such as /usr/sbin/nginx');
const root = fileURLToPath(new URL('../..', import.meta.url));
const megabyte = 1_000_000;

/** One of our configurations. Only addresses and folders are changed for this machine. */
interface Proxied {
  readonly name: string;
  /** The number of servers behind it. */
  readonly servers: number;
  configuration(port: number, servers: readonly string[]): Promise<string>;
}

const proxied: readonly Proxied[] = [
  {
    name: 'the block in the guide',
    servers: 1,
    async configuration(port, [server = '']) {
      const [, block = ''] =
        /```nginx\n([\s\S]*?)```/.exec(await readFile(`${root}apps/docs/deploying.md`, 'utf8')) ?? [];
      return `events {}\nhttp {\nserver {\nlisten 127.0.0.1:${port};\n${replaced(block, '127.0.0.1:3000', server)}}\n}\n`;
    },
  },
  {
    name: 'the block in the guide for two servers',
    servers: 2,
    async configuration(port, servers) {
      const blocks = [
        ...(await readFile(`${root}apps/docs/deploying.md`, 'utf8')).matchAll(/```nginx\n([\s\S]*?)```/g),
      ];
      const [location = '', upstream = ''] = blocks.map(([, block = '']) => block);
      const group = servers.reduce(
        (text, server, index) => replaced(text, `127.0.0.1:${3000 + index}`, server),
        upstream,
      );
      const server = replaced(location, '127.0.0.1:3000', 'latchkey');
      return `events {}\nhttp {\n${group}\nserver {\nlisten 127.0.0.1:${port};\n${server}}\n}\n`;
    },
  },
  {
    name: 'apps/deploy/nginx.conf',
    servers: 2,
    async configuration(port, servers) {
      const text = await readFile(`${root}apps/deploy/nginx.conf`, 'utf8');
      return servers.reduce(
        (changed, server, index) => replaced(changed, `server-${index + 1}:3000`, server),
        replaced(text, 'listen 80 ', `listen 127.0.0.1:${port} `),
      );
    },
  },
];

for (const { name, servers: count, configuration } of proxied) {
  needing(nginx.skip).describe(`behind nginx, with ${name}`, () => {
    let folder: TemporaryFolder;
    let child: ChildProcess;
    let url: string;
    let key: string;
    let settings: Record<string, string>;
    const servers: ServerProcess[] = [];

    before(async () => {
      folder = await makeTemporaryFolder();
      settings = {
        DATABASE_URL: `sqlite:${folder.file('latchkey.db')}`,
        TRUSTED_PROXIES: '127.0.0.1',
        RATE_LIMIT_URL: 'memory:',
        RATE_LIMIT_STATUS: '2',
        RATE_LIMIT_HEALTH: '1000000',
      };
      await runCommand(['migrate'], settings);
      await runCommand(['user', 'add', '--name', 'Ada', '--email', 'a@b.com', '--tier', 'pro'], settings);
      const { stdout } = await runCommand(['key', 'create', '--user', 'a@b.com'], settings);
      key = /lk_sk_live_[0-9a-f]{32}/.exec(stdout)?.[0] ?? '';
      for (let n = 0; n < count; n++) servers.push(await startServer(settings));

      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const text = await configuration(
        port,
        servers.map((server) => new URL(server.url).host),
      );
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder.file(kind)};`,
      );
      await writeFile(
        folder.file('nginx.conf'),
        replaced(text, 'http {', `http {\naccess_log off;\n${temporary.join('\n')}`),
      );
      const user = process.getuid?.() === 0 ? 'user root;' : '';
      const globals = `daemon off; pid ${folder.file('pid')}; error_log ${folder.file('errors')}; ${user}`;
      const args = ['-p', folder.path, '-c', folder.file('nginx.conf'), '-e', folder.file('errors'), '-g', globals];
      const started = spawn(nginx.url ?? '', args, { stdio: ['ignore', 'inherit', 'inherit'] });
      child = started;
      await until(async () => {
        if (started.exitCode !== null || (await answers(`${url}/health/ready`))) return true;
        await pause(50);
        return false;
      });
      expect(started.exitCode, 'the exit code of nginx').to.equal(null);
    });
    after(async () => {
      if (child?.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      for (const server of servers) await server.stop('SIGTERM');
      await folder?.remove();
    });

    for (const size of [2, 90]) {
      it(`accepts an upload of ${size} MB`, async () => {
        const path = folder.file(`${size}.zip`);
        const zip = new ZipFile();
        zip.addBuffer(randomBytes(size * megabyte), 'random.bin', { compress: false });
        zip.end();
        await pipeline(zip.outputStream, createWriteStream(path));
        const file = await openAsBlob(path);
        const form = new FormData();
        form.append('file', file, 'random.zip');
        const init = { method: 'POST', headers: { 'X-API-Key': key }, body: form };
        const response = await fetch(`${url}/api/marketplace/upload`, init);
        const text = await response.text();
        expect(response.status, text).to.equal(200);
        expect(JSON.parse(text)).to.include({ success: true, size: file.size });
      });
    }

    if (count > 1) {
      it('refuses no GET while its servers are restarted one after the other', async () => {
        const statuses = new Map<number, number>();
        let isOver = false;
        const callers = Array.from({ length: 8 }, async () => {
          while (!isOver) {
            const { status } = await fetch(`${url}/health/live`);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        });
        const restarts = async () => {
          for (let restart = 0; restart < 2 * count; restart++) {
            const index = restart % count;
            const old = servers[index];
            expect(await old?.stop('SIGTERM')).to.equal(0);
            servers[index] = await startServer({ ...settings, PORT: new URL(old?.url ?? '').port });
          }
        };
        await restarts().finally(() => {
          isOver = true;
        });
        await Promise.all(callers);
        expect([...statuses.keys()], JSON.stringify([...statuses])).to.deep.equal([200]);
      });
    }

    it('counts calls by the real address of the client, whatever its X-Forwarded-For says', async () => {
      const status = (localAddress: string, claimed: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const headers = { 'X-Forwarded-For': claimed };
          request(`${url}/status?license_key=LIC-0000-0000-0000-0000`, { localAddress, headers }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode));
          })
            .on('error', reject)
            .end();
        });
      const allowed = 2 * count;
      for (let n = 0; n < allowed; n++) expect(await status('127.0.0.2', `9.9.9.${n}`)).to.equal(404);
      expect(await status('127.0.0.2', '9.9.9.99')).to.equal(429);
      expect(await status('127.0.0.3', '127.0.0.2')).to.equal(404);
    });
  });
}

/** Replaces one text by another. The text must exist. */
function replaced(text: string, what: string, by: string): string {
  expect(text).to.include(what);
  return text.replace(what, () => by);
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
