import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { changesOf } from './changes.ts';
import type { Cost } from './cost.ts';
import { type DatabaseKind, type Databases, openDatabases } from './databases.ts';
import { isExact } from './exactness.ts';
import { chooseGenerator, type Generator } from './generators.ts';
import { goalsOf, singlesOf } from './goals.ts';
import { killServers } from './processes.ts';
import { changesTableOf, exactnessTextOf, judgementOf, singlesTableOf, soakReportOf, tableOf } from './report.ts';
import type { Measured } from './rounds.ts';
import { type Found, promised, quick as quickSizes, type SectionName, sectionNames, sections } from './sections.ts';
import { soak } from './soak.ts';
import type { Options } from './verifications.ts';

const usage = `npm run bench -- [--quick] [--sections <names>] [--rounds 9] [--seconds 2] [--only <pattern>] [--seed 1]
    [--profile <folder>] [--before <file>]
npm run bench -- --soak <seconds> [--database sqlite|postgres] [--seed 1]

Measures the built server: verifications compared with a bare koa route, and the other figures with goals. It starts all
servers itself, on temporary databases: on Postgres only if TEST_POSTGRES_URL names a server, or if its programs are installed.
Run nothing else on the machine. wrk puts the servers under load if it is installed, or else a built-in generator. Results are
not judged if the generator used more than 70 % of a core in any round. On Linux, it also shows the processor time per answer.

--quick     takes about a minute, with few rounds, licenses and starts; results are not judged
--sections  the sections to measure: ${sectionNames.join(',')} (default: all; with --quick: verifications,starts)
--rounds    how often each load is measured (default: 9; with --quick: 2)
--seconds   whole seconds of each load in a round (default: 2; with --quick: 1)
--only      measures only verifications and costs whose name matches this pattern, such as "sqlite: uniform"
--seed      determines the licenses and the order of requests
--profile   each server of the verifications and costs writes a CPU profile to this folder
--before    the bench-results.json of another version: shows which costs changed by a fifth or more
--soak      only verifies on one server, for about this many seconds, and measures its memory
--database  the database of the soak: sqlite or postgres

Writes bench-results.json, except after a soak. Exits with 0 if all answers were right and all verifications were counted.
`;

/** The scenarios of `--quick`, which takes a minute. */
const quickly = ': (uniform|active set|one license)$';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    sections: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    profile: { type: 'string' },
    before: { type: 'string' },
    soak: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});

const interrupted = 130;

process.exitCode = values.help ? explain() : await bench();
if (process.exitCode === interrupted) process.exit();

function explain(): number {
  process.stdout.write(usage);
  return 0;
}

/** Deletes everything at the end, also after an error or an interruption. */
async function bench(): Promise<number> {
  const generator = chooseGenerator();
  const interruption = interrupt();
  const work =
    values.soak === undefined ? measure(chosenSections()) : endure(Number(values.soak), kindOf(values.database));
  const folder = await makeTemporaryFolder();
  try {
    await using databases = await openDatabases(folder);
    if (!databases.kinds.includes('postgres'))
      say('Without Postgres: none is named by TEST_POSTGRES_URL or installed.');
    return await Promise.race([interruption, work(folder, databases, generator)]);
  } finally {
    generator.stop();
    killServers();
    await folder.remove();
  }
}

type Work = (folder: TemporaryFolder, databases: Databases, generator: Generator) => Promise<number>;

function measure(names: readonly SectionName[]): Work {
  return async (folder, databases, generator) => {
    const { quick } = values;
    const options: Options = {
      rounds: Number(values.rounds ?? (quick ? 2 : 9)),
      seconds: wholeSeconds(values.seconds ?? (quick ? '1' : '2')),
      warmUp: quick ? 1 : 12,
      sizes: quick ? { usual: 10_000, many: 50_000 } : { usual: 100_000, many: 1_000_000 },
      active: 2_000,
      seed: Number(values.seed),
      only: new RegExp(values.only ?? (quick ? quickly : '')),
      nodeOptions: values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [],
    };
    const ground = { folder, databases, generator, options, sizes: quick ? quickSizes : promised, tell: note };
    // Read first: this run writes a file of the same name.
    const before = values.before === undefined ? undefined : await costsIn(values.before);
    let found: Found = {};
    for (const name of names) found = { ...found, ...(await sections[name](ground)) };
    return await report(found, options, before);
  };
}

/** Returns the costs in the results of another run. */
async function costsIn(file: string): Promise<readonly Cost[]> {
  const { singles }: { readonly singles?: Found } = JSON.parse(await readFile(file, 'utf8'));
  if (singles?.cost === undefined) throw new Error(`--before ${file}: has no section cost`);
  return singles.cost;
}

/** Prints and writes the results. Returns the exit code. */
async function report(
  { verifications, ...singles }: Found,
  options: Options,
  before?: readonly Cost[],
): Promise<number> {
  const measured = verifications?.measured ?? new Map<string, Measured>();
  const exactness = verifications?.exactness ?? [];
  const goals = goalsOf(measured, singlesOf(singles));
  const isFull = !values.quick && options.rounds >= 9;
  const texts = [
    verifications && tableOf(verifications),
    singlesTableOf(singles),
    judgementOf(goals, measured, isFull),
    verifications && exactnessTextOf(exactness),
    before && changesTableOf(changesOf(before, singles.cost ?? [])),
  ];
  say(`\n${texts.filter((text) => text !== undefined).join('\n\n')}`);
  const wrong = [...measured].flatMap(([name, one]) => one.wrong.slice(0, 3).map((answer) => `${name}: ${answer}`));
  for (const line of wrong) say(`WRONG ANSWER ${line}`);
  const machine = { cores: cpus().length, cpu: cpus()[0]?.model, memory: totalmem(), node: process.version };
  const { generator } = verifications ?? {};
  const results = {
    machine,
    generator,
    options: { ...options, only: values.only },
    measured: Object.fromEntries(measured),
  };
  await writeFile('bench-results.json', `${JSON.stringify({ ...results, singles, goals, exactness }, null, 1)}\n`);
  return wrong.length === 0 && exactness.every(isExact) ? 0 : 1;
}

function endure(seconds: number, kind: DatabaseKind): Work {
  return async (folder, databases, generator) => {
    const options = { kind, seconds, licenses: 100_000, seed: Number(values.seed) };
    const endured = await soak(folder, databases, generator, options, say);
    say(soakReportOf(endured));
    for (const line of endured.wrong.slice(0, 3)) say(`WRONG ANSWER ${line}`);
    return endured.wrong.length === 0 && isExact(endured.exactness) ? 0 : 1;
  };
}

/** Returns the sections of `--sections`, in their usual order. */
function chosenSections(): SectionName[] {
  const asked = (values.sections ?? (values.quick ? 'verifications,starts' : sectionNames.join(','))).split(',');
  const unknown = asked.filter((name) => !sectionNames.some((known) => known === name));
  if (unknown.length > 0) throw new Error(`--sections ${unknown.join(',')}: must be of ${sectionNames.join(',')}`);
  return sectionNames.filter((name) => asked.includes(name));
}

function wholeSeconds(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--seconds ${text}: must be a whole number from 1 on`);
  return Number(text);
}

function kindOf(text: string): DatabaseKind {
  if (text === 'sqlite' || text === 'postgres') return text;
  throw new Error(`--database ${text}: must be sqlite or postgres`);
}

/** Resolves with the exit code when the process gets SIGINT or SIGTERM. */
async function interrupt(): Promise<number> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  return interrupted;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Reports progress on standard error, so that standard output contains only results. */
function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
