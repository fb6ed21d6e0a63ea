import { execFile, spawn, spawnSync } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { compose } from '../../apps/compose.ts';
import { readConfig, variables } from '../../apps/config.ts';
import { t } from '../../apps/tokens.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(root, 'apps/deploy');
const read = (name: string) => readFile(join(deploy, name), 'utf8');

/** Why a program cannot check here. */
function missing(program: string): string {
  return spawnSync(program, ['--version']).error ? ` (skipped: no ${program} here)` : '';
}

describe('compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly build?: { readonly context: string; readonly dockerfile: string };
    readonly environment?: Readonly<Record<string, string>>;
    readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
    readonly volumes?: readonly string[];
    readonly configs?: readonly { readonly source: string }[];
    readonly entrypoint?: readonly string[];
    readonly command?: readonly string[];
  }
  interface Compose {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, null>>;
    readonly configs: Readonly<Record<string, { readonly content: string }>>;
  }
  let file: Compose;
  before(async () => {
    file = parse(await read('compose.yaml'), { merge: true });
  });

  /** As Docker puts it in: the default where there is one, else what the test gives. */
  const filled = (text: string) => text.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/g, (_, given) => given ?? 'given');
  const servers = () => Object.entries(file.services).filter(([name]) => name.startsWith('server-'));

  it('runs two servers with settings that exist and are usable', () => {
    expect(servers()).to.have.length(2);
    for (const [name, { environment = {} }] of servers()) {
      const ours = Object.entries(environment).filter(([variable]) => !/^AWS_/.test(variable));
      expect(Object.keys(variables), name).to.include.members(ours.map(([variable]) => variable));
      const config = readConfig(Object.fromEntries(ours.map(([variable, value]) => [variable, filled(value)])));
      expect([config.DATABASE_URL.kind, config.RATE_LIMIT_URL.kind, config.FILES_URL.kind]).to.deep.equal([
        'postgres',
        'redis',
        's3',
      ]);
      expect(config.METRICS_PORT).to.equal(9464);
    }
  });

  it('names only services, volumes, configurations and files that there are', async () => {
    const names = Object.keys(file.services);
    for (const [name, service] of Object.entries(file.services)) {
      const { depends_on: needs = [], volumes = [], configs = [], build } = service;
      expect(names, name).to.include.members(Array.isArray(needs) ? [...needs] : Object.keys(needs));
      expect(Object.keys(file.configs)).to.include.members(configs.map(({ source }) => source));
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) await read(source);
        else expect(file.volumes).to.have.property(source);
      }
      if (build) await readFile(join(deploy, build.context, build.dockerfile));
    }
    for (const { content } of Object.values(file.configs)) JSON.parse(filled(content));
  });

  it('makes the bucket that the servers use, by a program that Node accepts', async () => {
    const { entrypoint = [], command = [] } = file.services.bucket ?? {};
    expect(entrypoint.slice(0, 1)).to.deep.equal(['node']);
    const bucket = /const Bucket = '(.*)'/.exec(command.join())?.[1];
    for (const [, { environment }] of servers()) expect(environment?.FILES_URL).to.include(`s3://${bucket}?`);
    const folder = await makeTemporaryFolder();
    await writeFile(folder.file('bucket.mjs'), command.join());
    await run(process.execPath, ['--check', folder.file('bucket.mjs')]);
    await folder.remove();
  });

  it('has nginx pass on to the servers that there are', async () => {
    const names = (await read('nginx.conf')).match(/(?<=^\s*server )[\w-]+(?=:3000)/gm);
    expect(names).to.deep.equal(servers().map(([name]) => name));
  });
});

describe(`nginx.conf${missing('nginx')}`, () => {
  it('is accepted by nginx, where that knows `resolve`', async function () {
    if (missing('nginx')) return this.skip();
    const { stderr } = await run('nginx', ['-v']);
    const [major = 0, minor = 0, patch = 0] = (/\d+\.\d+\.\d+/.exec(stderr)?.[0] ?? '').split('.').map(Number);
    if (major * 1e6 + minor * 1e3 + patch < 1_027_003) return this.skip();
    await run('nginx', ['-t', '-c', join(deploy, 'nginx.conf')]);
  });
});

describe(`latchkey.service${missing('systemd-analyze')}`, () => {
  it('sets only settings that exist, and they are usable', async () => {
    const settings = (await read('latchkey.service')).matchAll(/^Environment=(\w+)=(.*)$/gm);
    const given = Object.fromEntries(Array.from(settings, ([, name, value]) => [name, value]));
    const { NODE_ENV, ...ours } = given;
    expect(NODE_ENV).to.equal('production');
    expect(Object.keys(variables)).to.include.members(Object.keys(ours));
    readConfig(ours);
  });

  it('is accepted by systemd, and leaves little exposed', async function () {
    if (missing('systemd-analyze')) return this.skip();
    const folder = await makeTemporaryFolder();
    const unit = folder.file('latchkey.service');
    const text = (await read('latchkey.service')).replace('/usr/bin/node', process.execPath);
    await writeFile(unit, text.replace('/opt/latchkey', root));
    const { stdout, stderr } = await run('systemd-analyze', ['verify', unit]);
    expect(stdout + stderr).to.not.include(unit);
    await run('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit]);
    await folder.remove();
  });
});

describe('grafana-dashboard.json', () => {
  it('asks for metrics that there are, and for every one of ours', async () => {
    const parts = await compose(
      readConfig({ LOG_LEVEL: 'silent', DATABASE_URL: 'memory:', FILES_URL: 'temporary:', PORT: '0' }),
    );
    await parts.get(t.listener);
    const text = await (await parts.get(t.registry)).metrics();
    await parts.close();
    const series = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) => ({ name, type }));
    const told = series.flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    );

    const { panels, templating } = JSON.parse(await read('grafana-dashboard.json'));
    const expressions: string[] = [
      ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
      ...templating.list.flatMap(({ definition }: { definition?: string }) => definition ?? []),
    ];
    const asked = new Set(expressions.flatMap((text) => text.match(/\b(?:latchkey|nodejs|process)_\w+/g) ?? []));
    expect(told).to.include.members([...asked]);
    const ours = series.map(({ name }) => name).filter((name) => name.startsWith('latchkey_'));
    expect(ours.filter((name) => ![...asked].some((one) => one.startsWith(name)))).to.deep.equal([]);
  });
});

describe('the Dockerfile', () => {
  /** Its instructions, continued lines joined. */
  async function instructions() {
    const text = (await read('Dockerfile')).replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', '');
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => ({ name: line.split(' ')[0], rest: line.slice(line.indexOf(' ') + 1) }));
  }

  it('copies what there is and what is not ignored, and all that is compiled', async () => {
    const ignored = (await read('Dockerfile.dockerignore')).split('\n');
    const copied = (await instructions())
      .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    const entries = await readdir(root);
    for (const source of copied) {
      expect(entries).to.include(source);
      expect(ignored).to.include(`!${source}`);
    }
    const { include } = JSON.parse(await readFile(join(root, 'tsconfig.build.json'), 'utf8'));
    expect(copied).to.include.members(include);
  });

  it('runs as a user without rights, in the version of Node that is recommended', async () => {
    const all = await instructions();
    const bases = all.filter(({ name }) => name === 'FROM').map(({ rest }) => rest);
    expect(bases.every((base) => base.startsWith('node:24-'))).to.equal(true);
    const user = all.findLastIndex(({ name }) => name === 'USER');
    expect(all[user]?.rest).to.equal('node');
    expect(all.slice(user).some(({ name }) => name === 'RUN' || name === 'COPY')).to.equal(false);
  });

  it('asks for the health of the server: exit code 0 while it is ready, else 1', async () => {
    const { rest = '' } = (await instructions()).find(({ name }) => name === 'HEALTHCHECK') ?? {};
    const [program = '', ...args]: string[] = JSON.parse(rest.slice(rest.indexOf(' CMD ') + 5));
    expect(program).to.equal('node');
    const folder = await makeTemporaryFolder();
    const server = await startServer({ DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` });
    const check = async () => {
      const child = spawn(process.execPath, args, { env: { PORT: new URL(server.url).port }, stdio: 'ignore' });
      return await new Promise((resolve) => child.once('exit', resolve));
    };
    expect(await check()).to.equal(0);
    await server.stop('SIGTERM');
    expect(await check()).to.equal(1);
    await folder.remove();
  });

  const isCi = process.env.CI === 'true';
  it(`serves with the dependencies that it installs${isCi ? '' : ' (skipped: CI=true runs it)'}`, async function () {
    if (!isCi) return this.skip();
    this.timeout(120_000);
    const runs = (await instructions()).filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    const install = runs.find((command) => command.includes('--omit=dev')) ?? '';
    const folder = await makeTemporaryFolder();
    const app = folder.file('app');
    for (const name of ['package.json', 'package-lock.json', 'dist']) {
      await cp(join(root, name), join(app, name), { recursive: true });
    }
    await run('sh', ['-c', `${install} --prefer-offline --no-audit --no-fund`], { cwd: app });
    // The one that is made on the spot takes longer than the whole test may: it is lent.
    const made = 'node_modules/sqlite3/build';
    await symlink(join(root, made), join(app, made));
    const database = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` };
    const server = await startServer(database, join(app, 'dist/apps/latchkey-server.js'));
    expect((await fetch(`${server.url}/health/ready`)).status).to.equal(200);
    expect(await server.stop('SIGTERM')).to.equal(0);
    await folder.remove();
  });
});
