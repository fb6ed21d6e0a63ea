import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { randomOf, shuffled } from '../torture/random.ts';
import type { Generator } from './generators.ts';
import { check, checks, connections, fire, type Volley } from './load.ts';
import { watchNoise } from './noise.ts';
import type { Running } from './processes.ts';
import { isTimeKnown, timesOf, used } from './processor-time.ts';
import type { Scenario } from './scenarios.ts';
import { sum } from './statistics.ts';

/** Servers with one kind of load. */
export interface Contestant {
  readonly name: string;
  /** Several processes take turns, because each one compiles the same program a little differently. */
  readonly crews: readonly (readonly Running[])[];
  readonly scenario: Scenario;
  /** The ids of the database's own processes. */
  database(): readonly number[];
}

/** One figure for each round. Figures of processor time are empty if the system does not provide them. */
export interface Series {
  /** Answers per second. */
  readonly rate: number[];
  /** Milliseconds. */
  readonly p50: number[];
  readonly p99: number[];
  /**
   * Microseconds of processor time per answer: of the servers' main threads, of their processes, and of the
   * database's.
   */
  readonly main: number[];
  readonly whole: number[];
  readonly database: number[];
  /** The share of a core that the load generator used. */
  readonly busy: number[];
  /** What disturbed the round: see `Noise`. Empty if the system does not provide it. */
  readonly others: number[];
  readonly waits: number[];
  readonly interruptions: number[];
  /** Mebibytes of the servers' memory after the round. */
  readonly rss: number[];
}

export interface Measured {
  readonly series: Series;
  /** All answers, also those of the warm-up. */
  readonly answers: number;
  /** The expected number of valid answers. Requests in flight at the end of a load make it inexact. */
  readonly due: number;
  /** Requests that may have been answered after the end of each load. */
  readonly inFlight: number;
  readonly wrong: readonly string[];
}

export interface Rounds {
  readonly rounds: number;
  /** Whole seconds per contestant and round. */
  readonly seconds: number;
  /** Whole seconds of load before the first round, in which servers compile their code and fill their caches. */
  readonly warmUp: number;
  readonly seed: number;
}

/** Unmeasured whole seconds at the start of each round, because a server that was idle is slow at first. */
const leadIn = 1;

/** Warms all contestants up. Then each round runs all of them once, in a random order. */
export async function measure(
  contestants: readonly Contestant[],
  generator: Generator,
  folder: TemporaryFolder,
  { rounds, seconds, warmUp, seed }: Rounds,
  tell: (line: string) => void,
): Promise<Map<string, Measured>> {
  const random = randomOf(seed);
  const measured = new Map<string, Figures>();

  async function run(of: Figures, servers: readonly Running[], scenario: Scenario, seconds: number): Promise<Volley> {
    const volley = await fire({ generator, folder, ports: servers.map(({ port }) => port), scenario, seconds });
    of.answers += volley.answers;
    of.due += volley.answers * scenario.valid;
    of.inFlight += connections;
    of.wrong.push(...volley.wrong);
    return volley;
  }

  for (const { name, crews, scenario } of contestants) {
    const of = newFigures();
    measured.set(name, of);
    for (const servers of crews) {
      for (const { port } of servers) {
        of.wrong.push(...(await check(port, scenario)));
        of.answers += checks;
        of.due += checks * scenario.valid;
      }
      await run(of, servers, scenario, warmUp);
    }
  }
  for (let round = 1; round <= rounds; round++) {
    let busiest = 0;
    let noisiest = 0;
    for (const { name, crews, scenario, database } of shuffled(contestants, random)) {
      const of = measured.get(name);
      const servers = crews[round % crews.length];
      if (of === undefined || servers === undefined) continue;
      await run(of, servers, scenario, leadIn);
      const before = readTimes(servers, database);
      const heard = watchNoise(before.pids, database);
      const volley = await run(of, servers, scenario, seconds);
      noteTimes(of.series, before, readTimes(servers, database), volley.answers);
      const noise = heard(volley.answers);
      for (const kind of ['others', 'waits', 'interruptions'] as const) if (noise) of.series[kind].push(noise[kind]);
      of.series.rate.push(volley.rate);
      of.series.p50.push(volley.p50);
      of.series.p99.push(volley.p99);
      of.series.busy.push(volley.busy);
      of.series.rss.push(sum(await Promise.all(servers.map((server) => server.memory()))) / 2 ** 20);
      busiest = Math.max(busiest, volley.busy);
      noisiest = Math.max(noisiest, noise?.others ?? 0);
    }
    const percent = (part: number) => `${Math.round(part * 100)} %`;
    tell(
      `round ${round} of ${rounds}: the load generator used at most ${percent(busiest)} of a core, others at most ${percent(noisiest)} of all`,
    );
  }
  return measured;
}

interface Figures extends Measured {
  answers: number;
  due: number;
  inFlight: number;
  readonly wrong: string[];
}

function newFigures(): Figures {
  const series = {
    rate: [],
    p50: [],
    p99: [],
    main: [],
    whole: [],
    database: [],
    busy: [],
    rss: [],
    others: [],
    waits: [],
    interruptions: [],
  };
  return { series, answers: 0, due: 0, inFlight: 0, wrong: [] };
}

function readTimes(servers: readonly Running[], database: Contestant['database']) {
  const pids = servers.map(({ pid }) => pid);
  const others = database();
  return { pids, others, servers: timesOf(pids), database: timesOf(others) };
}

type Times = ReturnType<typeof readTimes>;

function noteTimes({ main, whole, database }: Series, before: Times, after: Times, answers: number): void {
  if (!isTimeKnown) return;
  main.push(used(before.servers, after.servers, after.pids) / answers);
  whole.push(used(before.servers, after.servers) / answers);
  if (after.others.length > 0) database.push(used(before.database, after.database) / answers);
}
