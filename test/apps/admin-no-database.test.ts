import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Command } from 'commander';
import { addAdministration } from '../../apps/commands/all-commands.ts';
import { createProgram } from '../../apps/commands/program.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { openRaw } from '../support/raw-sqlite.ts';
import { itLong, needing } from '../support/required-service.ts';
import { createTerminal, runCommand } from '../support/run-command.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { runServerProgram } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { onlyLine } from './admin-program.ts';

/** The commands that may create a database. */
const commandsThatCreate = ['serve', 'migrate', 'import', 'restore'];

/** A usable value for each required argument and option. */
const samples: Record<string, string> = {
  'id or email': 'ada@example.com',
  'id or prefix': '1',
  'id or slug': 'dex',
  tier: 'pro',
  role: 'admin',
  id: '1',
  address: 'ada@example.com',
  key: 'LIC-AAAA-AAAA-AAAA-AAAA',
  file: 'licenses.csv',
  place: 'backup',
  folder: 'folder',
  '--name': 'Ada',
  '--email': 'ada@example.com',
  '--user': 'ada@example.com',
  '--title': 'Dex',
  '--product': 'dex',
  '--template': 'dex',
  '--slug': 'dex',
  '--expires': '1y',
};

function sampleOf(name: string): string {
  const sample = samples[name];
  if (sample === undefined) throw new Error(`There is no sample of ${name}.`);
  return sample;
}

/** Returns all commands as words, with their required arguments and options. */
function commandsOf(command: Command, path: readonly string[] = []): { path: string; args: readonly string[] }[] {
  if (command.commands.length > 0) return command.commands.flatMap((one) => commandsOf(one, [...path, one.name()]));
  const needed = command.registeredArguments.filter(({ required }) => required).map((one) => sampleOf(one.name()));
  const options = command.options
    .filter(({ mandatory, defaultValue }) => mandatory && defaultValue === undefined)
    .flatMap(({ long }) => [long ?? '', sampleOf(long ?? '')]);
  return [{ path: path.join(' '), args: [...path, ...needed, ...options] }];
}

/** Runs a command that is refused. Returns its one line of output. */
async function failureOf(args: readonly string[], settings: Record<string, string>): Promise<string> {
  return onlyLine((await runCommand(args, settings)).stderr);
}

describe('a command without a database', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
  });
  afterEach(() => folder.remove());
  const settingsOf = (file: string) => ({ DATABASE_URL: `sqlite:${file}`, FILES_URL: `disk:${folder.file('files')}` });
  const { terminal } = createTerminal({});
  const program = createProgram(terminal);
  addAdministration(program, terminal);
  const commands = commandsOf(program);
  const remedy = 'Run the command in the folder of the server, or set DATABASE_URL to the same value as the server.';

  itLong('is refused and creates nothing, unless it is serve, migrate, import or restore', async () => {
    expect(commands.map(({ path }) => path)).to.include.members([
      ...commandsThatCreate,
      'license list',
      'backup',
      'export',
    ]);
    for (const { path, args } of commands.filter(({ path }) => !commandsThatCreate.includes(path))) {
      const file = folder.file('data/latchkey.db');
      const failure = await failureOf(args, settingsOf(file));
      expect(failure, path).to.match(/^There is no Latchkey database at /);
      expect(failure, path).to.include(` ${file}. ${remedy}`);
      expect(readdirSync(folder.path), path).to.deep.equal([]);
    }
  });

  itLong('prints the absolute path where it looked, and ends with exit code 1', async () => {
    const { code, stdout, stderr } = await runServerProgram(['license', 'list'], {}, folder.path);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.include(`latchkey-server: There is no Latchkey database at ${realpathSync(folder.path)}/data/`);
    expect(stderr.trimEnd().split('\n')).to.have.lengthOf(1);
    expect(readdirSync(folder.path)).to.deep.equal([]);
  });

  itLong(
    'is refused if the file is empty or the database of another program, and does not change the file',
    async () => {
      const empty = folder.file('empty.db');
      writeFileSync(empty, '');
      expect(await failureOf(['license', 'list'], settingsOf(empty))).to.include(`no Latchkey database at ${empty}.`);
      expect(readFileSync(empty, 'utf8')).to.equal('');
      const other = folder.file('other.db');
      const raw = await openRaw(other);
      await raw.run('CREATE TABLE notes (text)');
      expect(await failureOf(['license', 'list'], settingsOf(other))).to.include(`no Latchkey database at ${other}.`);
      expect(await raw.all('SELECT name FROM sqlite_schema')).to.deep.equal([{ name: 'notes' }]);
      await raw.close();
    },
  );

  itLong('works once migrate has created the database', async () => {
    const file = folder.file('data/latchkey.db');
    expect((await runCommand(['migrate'], settingsOf(file))).code).to.equal(0);
    expect(existsSync(file)).to.equal(true);
    expect((await runCommand(['license', 'list'], settingsOf(file))).code).to.equal(0);
  });

  needing(postgresServer.skip).it('is refused on a Postgres database without our tables', async () => {
    const schema = await makeSchema();
    try {
      const { host, pathname } = new URL(schema.url);
      const failure = await failureOf(['license', 'list'], { ...settingsOf(''), DATABASE_URL: schema.url });
      expect(failure).to.include(`There is no Latchkey database at ${host}${pathname}. ${remedy}`);
      const { rows } = await runOnPostgres(schema.url, "SELECT to_regclass('schema_migrations') AS made");
      expect(rows).to.deep.equal([{ made: null }]);
    } finally {
      await schema.drop();
    }
  });
});
