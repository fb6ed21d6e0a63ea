import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type DatabaseKind, openHouse } from './house.ts';
import { isPlant, plantNames } from './plants.ts';
import { type Blow, type Figures, runStorm } from './storm.ts';

const usage = `npm run torture -- [--seconds 30] [--database sqlite|postgres] [--processes n] [--seed s] [--plant ${plantNames.join('|')}] [--no-redis]

Puts several server processes on one database under concurrent load, and checks every answer against the core's rules.
Meanwhile it kills processes, breaks connections, locks rows and kills Redis. TEST_POSTGRES_URL names the Postgres server.
Exits with 0 only if no check failed.
`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    seconds: { type: 'string', default: '30' },
    database: { type: 'string', default: process.env.TEST_POSTGRES_URL ? 'postgres' : 'sqlite' },
    processes: { type: 'string' },
    seed: { type: 'string' },
    plant: { type: 'string' },
    redis: { type: 'boolean', default: true },
    help: { type: 'boolean', default: false },
  },
});

process.exitCode = values.help ? explain() : await torture();

function explain(): number {
  process.stdout.write(usage);
  return 0;
}

async function torture(): Promise<number> {
  const database = kindOf(values.database);
  const seconds = Number(values.seconds);
  const processes = Number(values.processes ?? (database === 'postgres' ? 3 : 2));
  const seed = Number(values.seed ?? Math.floor(performance.timeOrigin % 1_000_000));
  const { plant } = values;
  if (plant !== undefined && !isPlant(plant)) throw new Error(`--plant ${plant}: must be ${plantNames.join(' or ')}`);
  const redis = values.redis && spawnSync('redis-server', ['--version']).status === 0;
  const blows: Blow[] = [
    'kill',
    ...(database === 'postgres' ? (['cut', 'hold'] as const) : []),
    ...(redis ? (['redis'] as const) : []),
  ];
  say(
    `${processes} processes on ${database}, Redis: ${redis ? 'its own' : 'none'}, seed ${seed}${plant ? `, planted: ${plant}` : ''}`,
  );

  await using house = await openHouse({ database, processes, plant, redis });
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isInterrupted = true;
    });
  }
  const figures = await runStorm(house, {
    seed,
    processes,
    licenses: 8,
    clients: 3,
    calls: 150,
    blows,
    calm: { atLeast: 100, more: 400 },
    continues: (soFar) => !isInterrupted && soFar.seconds < seconds,
  });
  report(figures, house.failures);
  const { events, arrived, repeated, faults } = await house.testimony();
  say(`webhooks: ${events} events, ${arrived} have arrived, ${repeated} of them more than once`);
  for (const fault of faults.slice(0, 10)) say(`WEBHOOKS: ${fault}`);
  for (const fault of new Set(house.faults)) say(`FAULT: ${fault}`);
  for (const { report } of figures.violations.slice(0, 3)) say(`VIOLATION ${report}`);
  if (figures.undecided.length > 0) say(`UNDECIDED: ${figures.undecided.join(', ')}`);
  const { operations, kills, violations } = figures;
  say(
    `torture: ${operations} operations, ${kills} kills, ${violations.length + faults.length} violations in ${Math.round(figures.seconds)} s`,
  );
  return violations.length + figures.undecided.length + house.faults.length + faults.length === 0 ? 0 : 1;
}

function report(figures: Figures, failures: ReadonlyMap<number, number>): void {
  const counts = Object.entries(figures.byOp).map(([op, count]) => `${op} ${count}`);
  const statuses = [...failures].map(([status, count]) => `, ${count} of them ${status}`).join('');
  say(
    `operations: ${figures.operations} (${counts.join(', ')}) on ${figures.licenses} licenses, ${figures.refused} refused`,
  );
  say(`unknown outcomes: ${figures.unknown}${statuses}; never sent: ${figures.neverSent}`);
  say(
    `kills: ${figures.kills}, cuts: ${figures.cuts} (${figures.cutConnections} connections), holds: ${figures.holds}, Redis kills: ${figures.redisKills}`,
  );
  say(`checked in ${figures.checked.toFixed(0)} ms, the longest license in ${figures.longestCheck.toFixed(0)} ms`);
}

function kindOf(text: string): DatabaseKind {
  if (text === 'sqlite') return text;
  if (text !== 'postgres') throw new Error(`--database ${text}: must be sqlite or postgres`);
  if (!process.env.TEST_POSTGRES_URL) throw new Error('--database postgres: TEST_POSTGRES_URL must name a server');
  return text;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
