import { execFile, spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { readConfig } from '../../apps/wiring/config.ts';
import { variables } from '../../apps/wiring/settings.ts';
import { secretFileOf } from '../../apps/wiring/signing-secret.ts';
import { exposedMetrics, metricsIn } from '../support/exposed-metrics.ts';
import { itLong, needing, requiredService } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(root, 'apps/deploy');
const read = (name: string) => readFile(join(deploy, name), 'utf8');

/** Returns the reason if a program cannot be used here. */
function missing(program: string): string | undefined {
  return spawnSync(program, ['--version']).error ? `${program} is not installed` : undefined;
}

/** Replaces variables like Docker: with those of `.env`, the default if there is one, or else with the test's value. */
function filled(text: string, env: Readonly<Record<string, string>> = {}): string {
  return text.replace(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g,
    (_, name, given) => env[name] || (given ?? 'given-with-enough-characters-for-any'),
  );
}

/** Returns the variables of `.env` that a compose file uses. */
function variablesIn(text: string): string[] {
  return Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = '']) => name);
}

describe('the compose files and the Dockerfile', () => {
  const files = ['compose.yaml', 'compose.sqlite.yaml', 'Dockerfile'];

  it('name exact versions of all images, and the current version of Latchkey', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    for (const file of files) {
      const images = Array.from((await read(file)).matchAll(/^\s*(?:image:|FROM) (\S+)/gm), ([, image]) => image);
      expect(images, file).to.have.length.above(0);
      for (const image of images) {
        expect(image, file).to.match(/:\d+\.\d+(?:\.\d+)?(?:-[a-z-]+)?$/);
        if (image?.startsWith('latchkey:')) expect(image).to.equal(`latchkey:${version}`);
      }
    }
    for (const file of ['Dockerfile', '../docs/deploying.md']) {
      const tags = Array.from(
        (await read(file)).matchAll(/ latchkey:(\S+)|newTag: ([\d.]+)/g),
        ([, tag, of]) => tag ?? of,
      );
      expect(new Set(tags), file).to.deep.equal(new Set([version]));
    }
  });

  it('use exactly the variables that .env.example lists', async () => {
    const asked = [...variablesIn(await read('compose.yaml')), ...variablesIn(await read('compose.sqlite.yaml'))];
    const listed = Array.from((await read('.env.example')).matchAll(/^(\w+)=/gm), ([, name = '']) => name);
    expect(new Set(listed)).to.deep.equal(new Set(asked));
    const examples = Array.from((await read('.env.example')).matchAll(/^#(\w+)=(.*)$/gm), ([, ...pair]) => pair);
    readConfig(Object.fromEntries(examples));
    expect(Object.keys(variables)).to.include.members(examples.map(([name]) => name));
  });

  it('hand every setting of .env to the servers, except those that they set themselves, which the guide lists', async () => {
    const guide = await read('../docs/deploying.md');
    const settings = Object.fromEntries(Object.keys(variables).map((name) => [name, `the ${name} of .env`]));
    const env = { ...settings, POSTGRES_PASSWORD: 'canary', S3_ACCESS_KEY: 'canary', S3_SECRET_KEY: 'canary' };
    for (const name of ['compose.yaml', 'compose.sqlite.yaml']) {
      const { services } = parse(await read(name), { merge: true });
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\` | \`PORT\``)) ?? '';
      const [, fixed = ''] = row.replace(/\(.*?\)/, '').split(' | ');
      const reach: string[] = [];
      for (const [service, { env_file: files, environment }] of Object.entries<Record<string, unknown>>(services)) {
        // The other services get no secret that they do not need.
        expect(files, service).to.deep.equal(
          service.startsWith('server') ? [{ path: '.env', required: false }] : undefined,
        );
        if (files === undefined) continue;
        reach.push(service);
        const own = Object.entries((environment ?? {}) as Record<string, string>);
        const given: Record<string, string> = {
          ...env,
          ...Object.fromEntries(own.map(([k, v]) => [k, filled(v, env)])),
        };
        const ignored = Object.keys(settings).filter((one) => given[one] !== settings[one]);
        expect(ignored, service).to.have.members(fixed.match(/\w+(?=`)/g) ?? []);
        // Only as the settings that need them.
        for (const secret of ['POSTGRES_PASSWORD', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'])
          expect(given[secret]).to.equal('');
      }
      expect(reach, name).to.have.length(name === 'compose.yaml' ? 2 : 1);
    }
  });

  it('have no example value for a secret: each is empty in .env.example', async () => {
    const secrets = /^(?:SECRET_KEY|POSTGRES_PASSWORD|S3_ACCESS_KEY|S3_SECRET_KEY)=$/gm;
    expect((await read('.env.example')).match(secrets)).to.have.length(4);
  });
});

describe('compose.sqlite.yaml', () => {
  it('runs one server with existing and valid settings, on a permanent volume', async () => {
    const { services, volumes } = parse(await read('compose.sqlite.yaml'));
    expect(Object.keys(services)).to.deep.equal(['server']);
    const { environment, restart, ports, volumes: mounted, build, healthcheck } = services.server;
    const ours = Object.entries<string>(environment).filter(([, value]) => value !== '');
    expect(Object.keys(variables)).to.include.members(ours.map(([name]) => name));
    const given = ours.map(([name, value]) => [name, filled(value)]);
    const config = readConfig(Object.fromEntries(given));
    expect(config.DATABASE_URL.kind).to.equal('sqlite');
    expect({ restart, ports, mounted }).to.deep.equal({
      restart: 'unless-stopped',
      ports: ['127.0.0.1:3000:3000'],
      mounted: ['data:/data'],
    });
    expect(volumes).to.have.property('data');
    const dockerfile = await readFile(join(deploy, build.context, build.dockerfile), 'utf8');
    expect(dockerfile)
      .to.match(/^HEALTHCHECK /m)
      .and.to.include('DATABASE_URL=sqlite:/data/');
    expect(healthcheck, 'the image has its own health check').to.equal(undefined);
  });
});

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
    readonly networks?: Readonly<Record<string, { readonly ipv4_address?: string }>>;
  }
  interface Compose {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, null>>;
    readonly networks: Readonly<
      Record<string, { readonly ipam: { readonly config: readonly Record<string, string>[] } }>
    >;
    readonly configs: Readonly<Record<string, { readonly content: string }>>;
  }
  let file: Compose;
  before(async () => {
    file = parse(await read('compose.yaml'), { merge: true });
  });

  const servers = () => Object.entries(file.services).filter(([name]) => name.startsWith('server-'));

  it('runs two servers with existing and valid settings', () => {
    expect(servers()).to.have.length(2);
    for (const [name, { environment = {} }] of servers()) {
      const ours = Object.entries(environment).filter(([name, value]) => !/^AWS_/.test(name) && value !== '');
      expect(Object.keys(variables), name).to.include.members(ours.map(([variable]) => variable));
      const config = readConfig(Object.fromEntries(ours.map(([variable, value]) => [variable, filled(value)])));
      expect([config.DATABASE_URL.kind, config.RATE_LIMIT_URL.kind, config.FILES_URL.kind]).to.deep.equal([
        'postgres',
        'redis',
        's3',
      ]);
      expect(config.METRICS_PORT).to.equal(9464);
      expect(config.SECRET_KEY, 'the servers share a secret').to.not.equal('');
    }
  });

  it('names only services, volumes, configurations and files that exist', async () => {
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

  itLong('creates the bucket that the servers use, with a program that Node accepts', async () => {
    const { entrypoint = [], command = [] } = file.services.bucket ?? {};
    expect(entrypoint.slice(0, 1)).to.deep.equal(['node']);
    const bucket = /const Bucket = '(.*)'/.exec(command.join())?.[1];
    for (const [, { environment }] of servers()) expect(environment?.FILES_URL).to.include(`s3://${bucket}?`);
    const folder = await makeTemporaryFolder();
    await writeFile(folder.file('bucket.mjs'), command.join());
    await run(process.execPath, ['--check', folder.file('bucket.mjs')]);
    await folder.remove();
  });

  it('gives each server a fixed address, because nginx looks it up only once', () => {
    const addresses = servers().map(([, { networks }]) => networks?.default?.ipv4_address);
    expect(new Set(addresses).size).to.equal(servers().length);
    for (const address of addresses) expect(address).to.match(/^172\.31\.250\.\d{1,2}$/);
    const [{ subnet, ip_range: others } = {}] = file.networks.default?.ipam.config ?? [];
    expect([subnet, others]).to.deep.equal(['172.31.250.0/24', '172.31.250.128/25']);
  });

  it('has an nginx that passes requests to exactly these servers', async () => {
    const names = (await read('nginx.conf')).match(/(?<=^\s*server )[\w-]+(?=:3000)/gm);
    expect(names).to.deep.equal(servers().map(([name]) => name));
  });
});

describe('kubernetes.yaml', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into the manifest as Kubernetes does
  let parts: any[];
  before(async () => {
    const documents = parseAllDocuments(await read('kubernetes.yaml'));
    for (const { errors, warnings } of documents) expect([...errors, ...warnings]).to.deep.equal([]);
    parts = documents.map((one) => one.toJS());
  });
  const the = (kind: string) => parts.find((one) => one.kind === kind);

  it('has a deployment, a service, a budget and an ingress that belong together', () => {
    expect(parts.map(({ kind }) => kind)).to.deep.equal(['Deployment', 'Service', 'PodDisruptionBudget', 'Ingress']);
    const { labels } = the('Deployment').spec.template.metadata;
    expect(the('Deployment').spec.selector.matchLabels).to.deep.equal(labels);
    expect(the('Service').spec.selector).to.deep.equal(labels);
    expect(the('PodDisruptionBudget').spec.selector.matchLabels).to.deep.equal(labels);
    const [{ ports }] = the('Deployment').spec.template.spec.containers;
    const names = ports.map(({ name }: { name: string }) => name);
    expect(names).to.include(the('Service').spec.ports[0].targetPort);
    expect(the('Service').spec).to.not.have.property('sessionAffinity');
    const [{ http }] = the('Ingress').spec.rules;
    expect(http.paths[0].backend.service.name).to.equal(the('Service').metadata.name);
  });

  it('has existing and valid settings, and no secret', async () => {
    const [{ env, image }] = the('Deployment').spec.template.spec.containers;
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(image).to.equal(`latchkey:${version}`);
    const given = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]));
    expect(Object.keys(variables)).to.include.members(Object.keys(given));
    const secrets = {
      DATABASE_URL: 'postgres://db/latchkey',
      RATE_LIMIT_URL: 'redis://cache',
      SECRET_KEY: 'x'.repeat(64),
    };
    for (const name of Object.keys(secrets)) {
      expect(given).to.not.have.property(name);
      expect(await read('kubernetes.yaml')).to.match(new RegExp(`^#.*\\b${name}\\b`, 'm'));
    }
    const config = readConfig({ ...given, ...secrets });
    expect(config.FILES_URL.kind).to.equal('s3');
  });

  it('lets a pod end its requests, and asks only addresses that exist', () => {
    const { containers, terminationGracePeriodSeconds } = the('Deployment').spec.template.spec;
    const [{ env, startupProbe, livenessProbe, readinessProbe }] = containers;
    const delay = Number(env.find(({ name }: { name: string }) => name === 'STOP_DELAY').value);
    expect(terminationGracePeriodSeconds).to.be.at.least(delay + 10);
    expect(readinessProbe.periodSeconds).to.be.below(delay);
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).to.deep.equal([
      '/health/live',
      '/health/live',
      '/health/ready',
    ]);
  });
});

describe('all proxies', () => {
  it('let the same number of bytes through, which is more than the largest upload', async () => {
    const { MAX_ZIP_SIZE, MAX_IMAGE_SIZE, MAX_CSV_SIZE } = readConfig({});
    const limits = {
      'nginx.conf': /client_max_body_size (\d+)m;/,
      'nginx-one-server.conf': /client_max_body_size (\d+)m;/,
      Caddyfile: /max_size (\d+)MiB/,
      'kubernetes.yaml': /proxy-body-size: (\d+)m/,
      '../docs/deploying.md': /(?:client_max_body_size |uploads of )(\d+) ?(?:m;|MB)/,
    };
    for (const [file, pattern] of Object.entries(limits)) {
      const found = [...(await read(file)).matchAll(new RegExp(pattern, 'g'))].map(([, limit]) => Number(limit));
      expect(found, file).to.have.length.above(0);
      expect(new Set(found), file).to.deep.equal(new Set([110]));
    }
    // The rest is for the fields of the form.
    expect(109 * 1024 * 1024).to.be.greaterThan(Math.max(MAX_ZIP_SIZE + MAX_IMAGE_SIZE, MAX_CSV_SIZE));
  });
});

describe('kustomization.yaml', () => {
  it('has kubernetes.yaml as its only resource', async () => {
    const { kind, resources } = parse(await read('kustomization.yaml'));
    expect({ kind, resources }).to.deep.equal({ kind: 'Kustomization', resources: ['kubernetes.yaml'] });
  });

  it('has an example in the guide that changes only what is there', async () => {
    const example = await overlay();
    const resources = parseAllDocuments(await read('kubernetes.yaml')).map((one) => one.toJS());
    const [deployment, ingress] = example.patches;
    const {
      metadata,
      spec: { template },
    } = parse(deployment.patch);
    const changed = resources.find((one) => one.kind === 'Deployment' && one.metadata.name === metadata.name);
    const [server] = changed.spec.template.spec.containers;
    const [patch] = template.spec.containers;
    expect(patch.name).to.equal(server.name);
    const names = (env: { name: string }[]) => env.map(({ name }) => name);
    expect(names(server.env)).to.include.members(names(patch.env));
    expect(server.image.split(':')[0]).to.equal(example.images[0].name);
    const found = resources.find((one) => one.kind === ingress.target.kind);
    for (const { path } of parse(ingress.patch)) {
      const at = path.slice(1).split('/');
      expect(at.reduce((place: Record<string, unknown>, name: string) => place[name], found)).to.be.a('string');
    }
  });

  needing(missing('kubectl')).it(
    'is accepted by kubectl, and so is the example, which changes every address',
    async () => {
      const folder = await makeTemporaryFolder();
      try {
        const base = folder.file('base');
        await mkdir(base);
        for (const name of ['kustomization.yaml', 'kubernetes.yaml']) await cp(join(deploy, name), join(base, name));
        const plain = await run('kubectl', ['kustomize', base]);
        const kinds = (text: string) => parseAllDocuments(text).map((one) => one.toJS().kind);
        expect(kinds(plain.stdout)).to.have.members(kinds(await read('kubernetes.yaml')));
        const ours = folder.file('ours');
        await mkdir(ours);
        await writeFile(join(ours, 'kustomization.yaml'), stringify({ ...(await overlay()), resources: ['../base'] }));
        const { stdout } = await run('kubectl', ['kustomize', ours]);
        expect(kinds(stdout)).to.have.members(kinds(plain.stdout));
        expect(stdout).to.not.include('license.example.com');
        expect(stdout.match(/license\.example\.org/g)).to.have.length(3);
        expect(stdout).to.match(/image: registry\.example\.com\/latchkey:[\d.]+\n/);
      } finally {
        await folder.remove();
      }
    },
  );

  /** Returns the example in the guide. */
  async function overlay() {
    const guide = await readFile(join(root, 'apps/docs/deploying.md'), 'utf8');
    return parse(/```yaml\n(# kustomization\.yaml\n[\s\S]*?)```/.exec(guide)?.[1] ?? '');
  }
});

describe('the workflow that publishes the image', () => {
  itLong(
    'builds the Dockerfile for amd64 and arm64, with provenance and SBOM, for a tag with the version',
    async () => {
      const text = await readFile(join(root, '.github/workflows/image.yml'), 'utf8');
      const { on, permissions, jobs } = parse(text);
      expect(on).to.deep.equal({ push: { tags: ['v*.*.*'] } });
      expect(permissions).to.deep.equal({ contents: 'read', packages: 'write' });
      const { steps } = jobs.image;
      for (const { uses } of steps) if (uses) expect(uses).to.match(/^(?:actions|docker)\/[a-z-]+@v\d+$/);
      const { with: build } = steps.at(-1);
      expect(build).to.deep.include({
        context: '.',
        platforms: 'linux/amd64,linux/arm64',
        provenance: 'mode=max',
        sbom: true,
        push: true,
      });
      await readFile(join(root, build.context, build.file));
      const { run: command } = steps.find(({ name }: { name?: string }) => name?.startsWith('The tag is'));
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      const env = { PATH: process.env.PATH, GITHUB_REF_NAME: `v${version}` };
      await run('bash', ['-ec', command], { cwd: root, env });
      const other = run('bash', ['-ec', command], { cwd: root, env: { ...env, GITHUB_REF_NAME: 'v99.0.0' } });
      expect(await other.catch(({ code }) => code)).to.equal(1);
    },
  );
});

describe('the proxies for one server', () => {
  const host = 'license.example.com';

  const caddy = requiredService('TEST_CADDY', 'Caddy, such as /usr/bin/caddy');
  needing(caddy.skip).it('Caddyfile is accepted by Caddy, and written as Caddy writes it', async () => {
    const file = join(deploy, 'Caddyfile');
    await run(caddy.url ?? '', ['validate', '--adapter', 'caddyfile', '--config', file]);
    const { stdout } = await run(caddy.url ?? '', ['fmt', file]);
    expect(stdout).to.equal(await read('Caddyfile'));
    expect(stdout).to.include(host);
  });

  const nginx = requiredService('TEST_NGINX', 'nginx, such as /usr/sbin/nginx');
  needing(nginx.skip).it('nginx-one-server.conf is accepted by nginx', async () => {
    const folder = await makeTemporaryFolder();
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder.file(name)};`,
    );
    const lines = [
      `pid ${folder.file('pid')};`,
      'error_log stderr;',
      'events {}',
      'http {',
      'access_log off;',
      ...temporary,
    ];
    // The check opens the port. Port 80 may be taken, or not be allowed.
    const server = (await read('nginx-one-server.conf'))
      .replace('listen 80;', `listen unix:${folder.file('socket')};`)
      .replace('listen [::]:80;', '');
    await writeFile(folder.file('nginx.conf'), [...lines, server, '}'].join('\n'));
    try {
      await run(nginx.url ?? '', ['-t', '-c', folder.file('nginx.conf')]);
    } finally {
      await folder.remove();
    }
  });
});

describe('latchkey.service', () => {
  it('sets only settings that exist, and their values are valid', async () => {
    const settings = (await read('latchkey.service')).matchAll(/^Environment=(\w+)=(.*)$/gm);
    const given = Object.fromEntries(Array.from(settings, ([, name, value]) => [name, value]));
    const { NODE_ENV, ...ours } = given;
    expect(NODE_ENV).to.equal('production');
    expect(Object.keys(variables)).to.include.members(Object.keys(ours));
    readConfig(ours);
  });

  it('gets the port from latchkey.socket, which has the same address as the server alone and the proxies', async () => {
    const [, host, port] = /^ListenStream=([\d.]+):(\d+)$/m.exec(await read('latchkey.socket')) ?? [];
    const service = await read('latchkey.service');
    expect(service)
      .to.match(/^Wants=.*latchkey\.socket/m)
      .and.to.match(/^After=.*latchkey\.socket/m);
    expect(service).to.include(`Environment=HOST=${host}\n`);
    expect(Number(port)).to.equal(readConfig({}).PORT);
    for (const proxy of ['Caddyfile', 'nginx-one-server.conf']) expect(await read(proxy)).to.include(`${host}:${port}`);
  });

  it('stops for longer than nginx keeps an idle connection', async () => {
    const [, delay] = /^Environment=STOP_DELAY=(\d+)$/m.exec(await read('latchkey.service')) ?? [];
    const [, idle] = /keepalive_timeout (\d+)s;/.exec(await read('nginx-one-server.conf')) ?? [];
    expect(Number(idle)).to.be.greaterThan(0).and.below(Number(delay));
  });

  it('lets only its user read its files, and has the secret in a file beside the database', async () => {
    const text = await read('latchkey.service');
    expect(text)
      .to.match(/^UMask=0077$/m)
      .and.to.match(/^StateDirectoryMode=0700$/m);
    expect(text).to.not.match(/^Environment=SECRET_KEY/m);
    const settings = Object.fromEntries(Array.from(text.matchAll(/^Environment=(\w+)=(.*)$/gm), ([, ...pair]) => pair));
    expect(secretFileOf(readConfig(settings))).to.equal('/var/lib/latchkey/secret.key');
  });

  needing(missing('systemd-analyze')).it('allows what Node and the threads that hash passwords need', async () => {
    /** All calls of a set, with those of the sets in it. */
    const callsOf = async (name: string): Promise<string[]> => {
      if (!name.startsWith('@')) return [name];
      const { stdout } = await run('systemd-analyze', ['--no-pager', 'syscall-filter', name]);
      const inside = [...stdout.matchAll(/^ +([@\w-]+)$/gm)].map(([, one = '']) => one);
      return (await Promise.all(inside.map(callsOf))).flat();
    };
    const allowed = new Set<string>();
    for (const [, not, names = ''] of (await read('latchkey.service')).matchAll(/^SystemCallFilter=(~?)(.+)$/gm)) {
      for (const call of (await Promise.all(names.split(' ').map(callsOf))).flat()) {
        if (not) allowed.delete(call);
        else allowed.add(call);
      }
    }
    expect([...allowed])
      .to.include.members(['read', 'accept4', 'pkey_alloc', 'setpriority'])
      .and.not.include('mount');
  });

  needing(missing('systemd-analyze')).it('is accepted by systemd, and passes its security check', async () => {
    const folder = await makeTemporaryFolder();
    const unit = folder.file('latchkey.service');
    const socket = folder.file('latchkey.socket');
    const text = (await read('latchkey.service')).replace('/usr/bin/node', process.execPath);
    await writeFile(unit, text.replace('/opt/latchkey', root));
    await writeFile(socket, await read('latchkey.socket'));
    try {
      const { stdout, stderr } = await run('systemd-analyze', ['verify', unit, socket]);
      expect(stdout + stderr)
        .to.not.include(unit)
        .and.to.not.include(socket);
      await run('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit]);
    } finally {
      await folder.remove();
    }
  });
});

describe('latchkey-admin', () => {
  const script = join(deploy, 'latchkey-admin');
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
    const state = folder.file('state');
    await mkdir(state);
    await mkdir(folder.file('bin'));
    // The unit with other paths, and a drop-in as `systemctl edit` creates it.
    const text = (await read('latchkey.service'))
      .replace('/usr/bin/node /opt/latchkey', `${process.execPath} ${root}`)
      .replaceAll('/var/lib/latchkey', state)
      .replaceAll('/etc/latchkey.env', folder.file('latchkey.env'));
    const dropIn = '# override.conf\n[Service]\nEnvironment=API_KEY_PREFIX=dropin LOG_LEVEL=warn\n';
    await writeFile(folder.file('unit'), `# latchkey.service\n${text}\n${dropIn}`);
    await writeFile(folder.file('latchkey.env'), '# settings\nLOG_LEVEL=error\nAPI_KEY_PREFIX="fromfile"\n');
    await program('systemd-run', `#!${process.execPath}\n${standIn}`);
  });
  after(() => folder.remove());
  beforeEach(() =>
    program('systemctl', `#!/bin/sh\n[ "$*" = "cat latchkey.service" ] && cat ${folder.file('unit')}\n`),
  );
  const program = (name: string, text: string) => writeFile(folder.file(`bin/${name}`), text, { mode: 0o755 });
  const admin = (args: readonly string[], input = '', more: Record<string, string> = {}) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { PATH: `${folder.file('bin')}:${process.env.PATH}`, DATABASE_URL: 'sqlite:/nowhere', ...more };
      const child = execFile(script, args, { env, cwd: folder.path }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
      child.stdin?.end(input);
    });

  itLong('works on the database of the service, from any folder, with standard input', async () => {
    expect(await admin(['migrate'])).to.include({ code: 0, stderr: '' });
    expect(await readdir(folder.file('state'))).to.include('latchkey.db');
    const added = await admin(['user', 'add', '--name', "Ada's $HOME *", '--email', 'ada@example.com']);
    expect(added.stdout).to.include("Ada's $HOME *");
    const imported = await admin(['license', 'import', '-'], 'key;product\n');
    expect(imported.stderr).to.include('separated by semicolons');
    // First the settings of the unit, then those of the drop-in, then those of the file.
    expect((await admin(['key', 'create', '--user', '1'])).stdout).to.match(/^fromfile_sk_live_/);
  });

  itLong('ends with the exit code and the output of the command', async () => {
    const { code, stdout, stderr } = await admin(['license', 'show', 'LIC-AAAA-AAAA-AAAA-AAAA']);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.match(/^latchkey-server: No license has /);
  });

  it('ends with an error if the unit does not run the server', async () => {
    await program('systemctl', '#!/bin/sh\necho "ExecStart=/bin/true"\n');
    const { code, stderr } = await admin(['license', 'list']);
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: 'latchkey-admin: latchkey.service has no line ExecStart=... serve\n',
    });
  });

  needing(missing('systemd-analyze')).it(
    'uses options that systemd accepts, and the same user and folder',
    async () => {
      const { stdout } = await admin(['license', 'list'], '', { ONLY_TELL: 'yes' });
      const { options, properties, command } = JSON.parse(stdout);
      expect(options).to.deep.equal(['--quiet', '--collect', '--wait', '--pipe', '--service-type=exec']);
      expect(properties).to.include.members([
        'User=latchkey',
        'DynamicUser=yes',
        'StateDirectory=latchkey',
        'UMask=0077',
      ]);
      const { stdout: help } = await run('systemd-run', ['--help']);
      for (const option of options) expect(help).to.include(option.split('=')[0]);
      const made = folder.file('transient.service');
      await writeFile(made, ['[Service]', `ExecStart=${command.join(' ')}`, ...properties, ''].join('\n'));
      const checked = await run('systemd-analyze', ['verify', made]);
      expect(checked.stdout + checked.stderr).to.not.include(made);
    },
  );
});

/**
 * Replaces systemd-run, which needs systemd. Runs the command with only the requested settings, in the requested
 * folder.
 */
const standIn = `
const { readFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const args = process.argv.slice(2);
const end = args.indexOf('--');
const given = args.slice(0, end);
const command = args.slice(end + 1);
const properties = given.filter((one) => one.startsWith('--property=')).map((one) => one.slice('--property='.length));
const options = given.filter((one) => !one.startsWith('--property='));
if (process.env.ONLY_TELL) {
  console.log(JSON.stringify({ options, properties, command }));
  process.exit(0);
}
const valuesOf = (name) => properties.filter((one) => one.startsWith(name + '=')).map((one) => one.slice(name.length + 1));
const assign = (text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1).replace(/^"(.*)"$/, '$1')];
const env = Object.fromEntries(valuesOf('Environment').flatMap((line) => line.split(' ').map(assign)));
for (const file of valuesOf('EnvironmentFile')) {
  const lines = readFileSync(file.replace(/^-/, ''), 'utf8').split('\\n');
  Object.assign(env, Object.fromEntries(lines.filter((line) => /^\\w+=/.test(line)).map(assign)));
}
const [cwd] = valuesOf('WorkingDirectory').slice(-1);
const { status } = spawnSync(command[0], command.slice(1), { env, cwd, stdio: 'inherit' });
process.exit(status);
`;

describe('grafana-dashboard.json', () => {
  itLong('uses only metrics that exist, and each metric of Latchkey', async () => {
    const { metrics, series } = await exposedMetrics();
    const { panels, templating } = JSON.parse(await read('grafana-dashboard.json'));
    const expressions: string[] = [
      ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
      ...templating.list.flatMap(({ definition }: { definition?: string }) => definition ?? []),
    ];
    const asked = new Set(expressions.flatMap(metricsIn));
    expect(series).to.include.members([...asked]);
    const ours = metrics.map(({ name }) => name).filter((name) => name.startsWith('latchkey_'));
    expect(ours.filter((name) => ![...asked].some((one) => one.startsWith(name)))).to.deep.equal([]);
  });
});

describe('the Dockerfile', () => {
  /** Returns its instructions. Continued lines are joined. */
  async function instructions() {
    const text = (await read('Dockerfile')).replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', '');
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => ({ name: line.split(' ')[0], rest: line.slice(line.indexOf(' ') + 1) }));
  }

  it('copies only paths that exist and are not ignored, and all sources', async () => {
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

  it('runs as a user without rights, on the recommended version of Node', async () => {
    const all = await instructions();
    const bases = all.filter(({ name }) => name === 'FROM').map(({ rest }) => rest);
    expect(bases.every((base) => /^node:24\.\d+\.\d+-/.test(base))).to.equal(true);
    const user = all.findLastIndex(({ name }) => name === 'USER');
    expect(all[user]?.rest).to.equal('node');
    expect(all.slice(user).some(({ name }) => name === 'RUN' || name === 'COPY')).to.equal(false);
  });

  itLong('has a health check that ends with 0 while the server is ready, else with 1', async () => {
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

  const noCi = process.env.CI === 'true' ? undefined : 'CI=true runs it';
  needing(noCi).it('has a server that works with the dependencies that it installs', async () => {
    const runs = (await instructions()).filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    const install = runs.find((command) => command.includes('--omit=dev')) ?? '';
    const folder = await makeTemporaryFolder();
    const app = folder.file('app');
    for (const name of ['package.json', 'package-lock.json', 'dist']) {
      await cp(join(root, name), join(app, name), { recursive: true });
    }
    await run('sh', ['-c', `${install} --prefer-offline --no-audit --no-fund`], { cwd: app });
    // Compiling the driver takes longer than the whole test may. So it is linked from here.
    const made = 'node_modules/sqlite3/build';
    await symlink(join(root, made), join(app, made));
    const database = { DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` };
    const server = await startServer(database, join(app, 'dist/apps/latchkey-server.js'));
    expect((await fetch(`${server.url}/health/ready`)).status).to.equal(200);
    expect(await server.stop('SIGTERM')).to.equal(0);
    await folder.remove();
  });
});
