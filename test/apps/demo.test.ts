import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../adapters/http/openapi/document.ts';
import { accountRoutes } from '../../apps/wiring/modules/account-api.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { startAccountService } from '../adapters/http/account/account-service.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const program = fileURLToPath(new URL('../../dist/apps/demo.js', import.meta.url));
const run = promisify(execFile);

needing(skipLong).describe('the demo', () => {
  let folder: TemporaryFolder;
  let temporary: string;
  const started: ChildProcess[] = [];
  before(async () => {
    folder = await makeTemporaryFolder();
    temporary = folder.file('tmp');
    await mkdir(temporary);
  });
  after(async () => {
    for (const child of started) child.kill('SIGKILL');
    await folder.remove();
  });

  /** Starts the demo. Returns its process and its output up to the last line of the instructions. */
  const start = async () => {
    const child = spawn(process.execPath, [program], {
      cwd: temporary,
      env: { PATH: process.env.PATH, PORT: '0', TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.endsWith('Ctrl+C stops it.\n')) break;
    }
    return { child, text };
  };
  const ended = async (child: ChildProcess, signal: NodeJS.Signals) => {
    const exit = once(child, 'exit');
    child.kill(signal);
    return (await exit)[0];
  };

  it('prints commands that give the announced results, and shows every error except those in `notShown`', async function () {
    if (!(await hasCurl())) this.skip();
    const { child, text } = await start();
    const tries = Array.from(text.matchAll(/^# .* -> (\d{3}) (\w+)\n(.+)$/gm), ([, status, outcome, line]) => ({
      promised: `${status} ${outcome}`,
      line: line ?? '',
    }));
    for (const { promised, line } of tries) {
      const { stdout, stderr } = await run('sh', ['-c', line]);
      expect(stderr, line).to.equal('');
      expect(outcomeOf(stdout), line).to.equal(promised);
    }
    expect(new Set(tries.map(({ promised }) => promised.slice(4)))).to.deep.equal(
      new Set(['success', 'valid', ...general, ...(await declaredRefusals())]),
    );
    for (const operation of ['activate', 'verify', 'deactivate', 'status', 'lease']) {
      expect(tries.some(({ promised, line }) => promised.startsWith('200') && line.includes(`/${operation}`))).to.equal(
        true,
      );
    }
    expect(await ended(child, 'SIGTERM')).to.equal(0);
  });

  it('prints the address of guides beside a document whose calls go to that same address', async () => {
    const { child, text } = await start();
    const [, docs = ''] = /^(http:\S+\/docs) /m.exec(text) ?? [];
    const page = await fetch(docs);
    expect(page.status).to.equal(200);
    const address = new URL('/openapi.json', docs);
    const { servers, paths } = (await (await fetch(address)).json()) as OpenApiDocument;
    expect(servers.map(({ url }) => new URL(String(url), address).href)).to.deep.equal([new URL('/', docs).href]);
    for (const [path, item] of Object.entries(paths)) expect(item, path).to.not.have.property('servers');
    expect(await ended(child, 'SIGTERM')).to.equal(0);
  });

  it('shows a license with a key of its leases, a proven domain, and the foreign domains to which its key leaked', async () => {
    const { child, text } = await start();
    const [, publicKey = ''] = /public key of its leases, .*? {2}([\w-]+)$/m.exec(text) ?? [];
    const [, page = ''] = /page for the buyer +(http:\S+)$/m.exec(text) ?? [];
    const { keys } = (await (await fetch(new URL('/.well-known/latchkey-keys.json', page))).json()) as {
      keys: readonly { x: string }[];
    };
    expect(keys.map(({ x }) => x)).to.deep.equal([publicKey]);
    expect(await (await fetch(page)).text()).to.match(/shop\.example\.org[\s\S]*Proven/);
    const [, apiKey = ''] = /\/api\/orders\?status=paid' -H 'X-API-Key: ([^']+)/.exec(text) ?? [];
    const [, key = ''] = /proven domain and foreign domains +(LIC-\S+)$/m.exec(text) ?? [];
    const strays = new URL(`/api/licenses/${key}/strays`, page);
    expect(await (await fetch(strays, { headers: { 'X-API-Key': apiKey } })).text()).to.include('free-swap.example');
    expect(await ended(child, 'SIGTERM')).to.equal(0);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`keeps its data in a temporary folder, which is gone after ${signal}`, async () => {
      const { child, text } = await start();
      const [, file = ''] = /DATABASE_URL=sqlite:(\S+)/.exec(text) ?? [];
      expect(file.startsWith(temporary)).to.equal(true);
      expect(existsSync(file)).to.equal(true);
      expect(await ended(child, signal)).to.equal(0);
      expect(readdirSync(temporary)).to.deep.equal([]);
    });
  }

  it('ends with one line and exit code 1 if the port is taken, and leaves nothing', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as { port: number };
    const { code, stdout, stderr } = await run(process.execPath, [program], {
      env: { PATH: process.env.PATH, PORT: String(port), TMPDIR: temporary },
    }).catch((error) => error);
    squatter.close();
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.match(new RegExp(`^latchkey demo: Port ${port} on 127\\.0\\.0\\.1 is taken[^\n]*\n$`));
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});

/** Refusals that the routes do not declare, because they are not specific to one route. */
const general = [
  'validation_error',
  'bad_request',
  'unsupported_media_type',
  'payload_too_large',
  'method_not_allowed',
  'not_found',
  'rate_limit_exceeded',
  'UNAUTHORIZED',
  'VALIDATION_ERROR',
];

/**
 * The demo does not show these: they need a full storage quota, an outage of the purchase service, or a person who answers
 * a program.
 */
const notShown = [
  'QUOTA_EXCEEDED',
  'PURCHASE_CHECK_FAILED',
  'AUTHORIZATION_PENDING',
  'SLOW_DOWN',
  'ACCESS_DENIED',
  'EXPIRED_TOKEN',
  // Only with terms that no product of the demo has.
  'deactivation_not_allowed',
];

/** The codes of the refusals that the routes declare. */
async function declaredRefusals(): Promise<string[]> {
  await using service = await startAccountService();
  const license = await service.parts.get(t.licenseRoutes);
  const account = await service.parts.get(accountRoutes);
  return [
    ...license.flatMap(({ refusals }) => refusals),
    ...account.flatMap(({ refusals }) => refusals.map((reason) => reason.toUpperCase())),
  ].filter((code) => !notShown.includes(code));
}

/** Returns the status and the error code (or `valid`, or `success`) from the output of a command. */
function outcomeOf(printed: string): string {
  const [, body = '', status] = /^(\{.*\}) (\d{3})\n$/.exec(printed) ?? [];
  const { error, valid } = JSON.parse(body) as { error?: string | { code: string }; valid?: boolean };
  const reason = typeof error === 'object' ? error.code : error;
  return `${status} ${reason ?? (valid ? 'valid' : 'success')}`;
}

async function hasCurl(): Promise<boolean> {
  return await run('curl', ['--version']).then(
    () => true,
    () => false,
  );
}
