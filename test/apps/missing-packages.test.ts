import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { longestWait } from '../support/longest-wait.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The optional dependencies, with the packages that only they need. */
const optional = [
  '@aws-sdk',
  '@aws-crypto',
  '@aws',
  '@smithy',
  '@fontsource',
  '@opentelemetry',
  'fontkit',
  'pino-pretty',
  'sharp',
  '@img',
  'stripe',
];

needing(skipLong).describe('the package as a dependency of another project', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  /** Creates a project with this package and its dependencies, without some of them. */
  async function install(name: string, without: readonly string[]) {
    const project = folder.file(name);
    const modules = join(project, 'node_modules');
    const installed = join(modules, 'latchkey');
    await mkdir(installed, { recursive: true });
    for (const name of ['package.json', 'dist']) await cp(join(root, name), join(installed, name), { recursive: true });
    const names = await readdir(join(root, 'node_modules'));
    for (const name of names.filter((one) => !one.startsWith('.') && one !== 'latchkey' && !without.includes(one))) {
      await symlink(join(root, 'node_modules', name), join(modules, name));
    }
    return {
      file: (path: string) => join(project, path),
      program: join(installed, 'dist/apps/latchkey-server.js'),
      database: { DATABASE_URL: `sqlite:${join(project, 'latchkey.db')}`, FILES_URL: `disk:${join(project, 'files')}` },
    };
  }
  type Project = Awaited<ReturnType<typeof install>>;

  /** Runs the program until it ends, or kills it. */
  async function fail(program: string, args: readonly string[], settings: Record<string, string>) {
    const env = { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', ...settings };
    const ended = run(process.execPath, [program, ...args], { env, cwd: folder.path, timeout: longestWait });
    const { code, stderr } = await ended.catch((error) => error);
    return { code, stderr };
  }

  describe('without the optional packages', () => {
    let project: Project;
    before(async () => {
      project = await install('plain', optional);
    });

    it('starts, answers, runs commands and stops', async () => {
      const { program, database } = project;
      const server = await startServer(database, program);
      for (const path of ['/health/ready', '/docs', '/openapi.json']) {
        expect((await fetch(server.url + path)).status, path).to.equal(200);
      }
      const env = { PATH: process.env.PATH, ...database };
      await run(process.execPath, [program, 'product', 'add', '--title', 'My dApp'], { env });
      const issue = ['license', 'issue', '--product', 'my-dapp'];
      const { stdout } = await run(process.execPath, [program, ...issue], { env });
      const [key = ''] = /LIC(?:-[A-Z0-9]{4}){4}/.exec(stdout) ?? [];
      expect((await fetch(`${server.url}/status?license_key=${key}`)).status).to.equal(200);
      expect(await server.stop('SIGTERM')).to.equal(0);
    });

    it('can be imported and type-checked by a project that embeds it', async () => {
      await writeFile(project.file('package.json'), '{"type": "module"}');
      const settings = { module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable'], types: ['node'] };
      const compilerOptions = { ...settings, strict: true, noEmit: true, skipLibCheck: false };
      await writeFile(project.file('tsconfig.json'), JSON.stringify({ compilerOptions, files: ['a.ts'] }));
      await writeFile(
        project.file('a.ts'),
        `import { embed, type Latchkey } from 'latchkey';
const latchkey: Latchkey = await embed({ settings: { LOG_LEVEL: 'silent' } });
const now: number = latchkey.clock.now();
// @ts-expect-error it is no text: the types are there, and not 'any'.
const wrong: string = latchkey.clock.now();
await latchkey.close();
console.log(now > 0, wrong === '');
`,
      );
      const cwd = project.file('');
      const tsc = join(root, 'node_modules/.bin/tsc');
      await run(tsc, ['-p', '.'], { cwd }).catch(({ stdout }) => expect.fail(stdout));
      const program = `import { embed } from 'latchkey'; await (await embed()).close(); console.log('done');`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd });
      expect(stdout).to.equal('done\n');
    });

    const cases = [
      {
        what: 'the AWS SDK, if files are in a bucket',
        settings: { FILES_URL: 's3://files?region=eu-central-1' },
        line: /^latchkey-server: FILES_URL=s3:\/\/… needs the AWS SDK, which is not installed\. Run: npm install (.+)\n$/,
        packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@aws-sdk/s3-request-presigner'],
      },
      {
        what: 'OpenTelemetry, if there is a collector',
        settings: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
        line: /^latchkey-server: OTEL_EXPORTER_OTLP_ENDPOINT needs OpenTelemetry, which is not installed\. Run: npm install (.+)\n$/,
        packages: [
          '@opentelemetry/api',
          '@opentelemetry/exporter-trace-otlp-http',
          '@opentelemetry/resources',
          '@opentelemetry/sdk-trace-base',
        ],
      },
      {
        what: "Stripe's package, if Stripe takes payments",
        settings: {
          PAYMENTS_URL: 'stripe:',
          STRIPE_SECRET_KEY: 'sk_test_0123456789',
          STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
        },
        line: /^latchkey-server: PAYMENTS_URL=stripe: needs Stripe's package, which is not installed\. Run: npm install (.+)\n$/,
        packages: ['stripe'],
      },
      {
        what: 'pino-pretty, if the log is pretty',
        settings: { LOG_FORMAT: 'pretty' },
        line: /^latchkey-server: LOG_FORMAT=pretty needs pino-pretty, which is not installed\. Run: npm install (.+)\n$/,
        packages: ['pino-pretty'],
      },
    ];
    for (const { what, settings, line, packages } of cases) {
      it(`asks in one line for ${what}, and says how to install it`, async () => {
        for (const workers of ['1', '2']) {
          const args = ['serve', '--workers', workers];
          const { code, stderr } = await fail(project.program, args, { ...project.database, ...settings });
          expect(stderr).to.match(line);
          expect(code).to.equal(1);
          const asked = line.exec(stderr)?.[1]?.split(' ') ?? [];
          expect(asked.map((one) => one.slice(0, one.lastIndexOf('@')))).to.deep.equal(packages);
          for (const one of asked) expect(one).to.match(/@[\^~]\d+\.\d+\.\d+$/);
        }
      });
    }
  });

  describe('without a driver of SQLite for this machine', () => {
    const advice = /SQLite has no driver for this machine: [^\n]+ Run: npm rebuild sqlite3[^\n]*\n$/.source;
    const line = new RegExp(`^latchkey-server: ${advice}`);
    const inMemory = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:' };

    async function expectAdvice({ program, database }: Project, ...args: string[]): Promise<void> {
      const { code, stderr } = await fail(program, args, database);
      expect(stderr).to.match(line);
      expect(code).to.equal(1);
    }

    /** Returns Node's error message for the package in a project. It differs by cause, but the advice is the same. */
    async function causeIn({ file }: Project): Promise<string> {
      const loaded = run(process.execPath, ['-e', "require('sqlite3')"], { cwd: file('') });
      return await loaded.then(
        () => 'It was loaded.',
        ({ stderr }) => stderr,
      );
    }

    /** Adds the package without the files that its install scripts make. */
    async function addWithoutBinary(project: Project): Promise<void> {
      for (const part of ['package.json', 'lib']) {
        const copy = project.file(`node_modules/sqlite3/${part}`);
        await cp(join(root, 'node_modules/sqlite3', part), copy, { recursive: true });
      }
    }

    it('says in one line what to do if the package is missing', async () => {
      const project = await install('missing', ['sqlite3']);
      expect(await causeIn(project)).to.include("Cannot find module 'sqlite3'");
      await expectAdvice(project, 'serve');
    });

    it('says the same for data in memory, in the server and in a project that embeds it', async () => {
      const { program, file } = await install('embedded', ['sqlite3']);
      const { code, stderr } = await fail(program, ['serve'], inMemory);
      expect(stderr).to.match(new RegExp(`^latchkey-server: A database in memory needs SQLite\\. ${advice}`));
      expect(code).to.equal(1);
      const embedding = `import { embed } from 'latchkey'; await embed().catch(({ message }) => console.log(message));`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', embedding], { cwd: file('') });
      expect(stdout).to.match(new RegExp(`^A database in memory needs SQLite\\. ${advice}`));
    });

    needing(postgresServer.skip).it('still serves on Postgres', async () => {
      const { program } = await install('elsewhere', ['sqlite3']);
      const schema = await makeSchema();
      const server = await startServer({ DATABASE_URL: schema.url, FILES_URL: 'temporary:' }, program);
      expect((await fetch(`${server.url}/health/ready`)).status).to.equal(200);
      expect(await server.stop('SIGTERM')).to.equal(0);
      await schema.drop();
    });

    it('says the same if the install script did not run, in the server and in commands', async () => {
      const project = await install('unbuilt', ['sqlite3']);
      await addWithoutBinary(project);
      expect(await causeIn(project)).to.include('Could not locate the bindings file');
      for (const args of [['serve'], ['license', 'list'], ['migrate']]) await expectAdvice(project, ...args);
    });

    it('says the same if the binary is for another machine', async () => {
      const project = await install('foreign', ['sqlite3']);
      await addWithoutBinary(project);
      const folder = project.file('node_modules/sqlite3/build/Release');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'node_sqlite3.node'), 'not for this machine');
      expect(await causeIn(project)).to.include('ERR_DLOPEN_FAILED');
      await expectAdvice(project, 'serve');
    });
  });
});
