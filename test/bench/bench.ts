import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openDatabases } from './databases.ts';
import { goalsOf, type Singles } from './goals.ts';
import { exactnessOf, judgementOf, tableOf } from './report.ts';
import { measureVerifications, type Options } from './verifications.ts';

const usage = `npm run bench -- [--quick] [--rounds 9] [--seconds 2] [--only <pattern>] [--seed 1] [--profile <folder>]

Measures the built server in proportion to a bare koa route, on a machine that has nothing else to do. It starts what it needs
itself, on temporary databases; Postgres where TEST_POSTGRES_URL names a server or its programs are installed.
--quick     a minute, few rounds and licenses: nothing is judged
--only      names that are measured, such as "sqlite: uniform"
--profile   each server leaves a CPU profile in the folder
Writes bench-results.json. Exit code 0 where every answer was right and every verification counted.
`;

/** What is measured in a minute. */
const quickly = 'uniform$|active set$|one license$';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = values.help ? explain() : await bench();

function explain(): number {
  process.stdout.write(usage);
  return 0;
}

async function bench(): Promise<number> {
  const { quick } = values;
  const options: Options = {
    rounds: Number(values.rounds ?? (quick ? 3 : 9)),
    seconds: Number(values.seconds ?? (quick ? 0.4 : 2)),
    sizes: quick ? { few: 2_000, usual: 10_000, many: 50_000 } : { few: 10_000, usual: 100_000, many: 1_000_000 },
    active: 2_000,
    seed: Number(values.seed),
    only: new RegExp(values.only ?? (quick ? quickly : '')),
    nodeOptions: values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [],
  };
  const folder = await makeTemporaryFolder();
  try {
    await using databases = await openDatabases(folder);
    if (!databases.kinds.includes('postgres'))
      say('Without Postgres: none is named by TEST_POSTGRES_URL or installed.');
    const { measured, exactness } = await measureVerifications(folder, databases, options, note);
    const singles: Singles = {};
    const goals = goalsOf(measured, singles);
    const isFull = !quick && options.rounds >= 9;
    say(`\n${tableOf(measured)}\n\n${judgementOf(goals, measured, isFull)}\n\n${exactnessOf(exactness)}`);
    const wrong = [...measured].flatMap(([name, one]) => one.wrong.slice(0, 3).map((answer) => `${name}: ${answer}`));
    for (const line of wrong) say(`WRONG ANSWER ${line}`);
    const machine = { cores: cpus().length, cpu: cpus()[0]?.model, memory: totalmem(), node: process.version };
    const results = { machine, options: { ...options, only: values.only }, measured: Object.fromEntries(measured) };
    await writeFile('bench-results.json', `${JSON.stringify({ ...results, singles, goals, exactness }, null, 1)}\n`);
    return wrong.length === 0 && exactness.every(({ answered, counted }) => answered === counted) ? 0 : 1;
  } finally {
    await folder.remove();
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Progress, apart from the result. */
function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
