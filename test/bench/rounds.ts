import type { TemporaryFolder } from '../support/temporary-folder.ts';
import { randomOf, shuffled } from '../torture/random.ts';
import type { Generator } from './generators.ts';
import { check, checks, connections, fire, type Volley } from './load.ts';
import type { Running } from './processes.ts';
import { isTimeKnown, timesOf, used } from './processor-time.ts';
import type { Scenario } from './scenarios.ts';
import { sum } from './statistics.ts';

/** Servers under one load. */
export interface Contestant {
  readonly name: string;
  /** They take turns, as the same program is compiled a little differently in each process. */
  readonly crews: readonly (readonly Running[])[];
  readonly scenario: Scenario;
  /** The processes of the database's own. */
  database(): readonly number[];
}

/** One figure for each round. Those of processor time are empty if the system does not tell it. */
export interface Series {
  /** Answers a second. */
  readonly rate: number[];
  /** Milliseconds. */
  readonly p50: number[];
  readonly p99: number[];
  /** Microseconds of processor time an answer: of the servers' main threads, of their whole processes, and of the database's. */
  readonly main: number[];
  readonly whole: number[];
  readonly database: number[];
  /** The part of a core that the load generator used. */
  readonly busy: number[];
  /** Mebibytes of the servers' memory after the round. */
  readonly rss: number[];
}

export interface Measured {
  readonly series: Series;
  /** All answers, those of the warm-up included. */
  readonly answers: number;
  /** Those of them that should have told a license to be valid; inexact by the requests in flight. */
  readonly due: number;
  /** Requests that may have been answered though nobody waited for it any more: those in flight at the end of each load. */
  readonly inFlight: number;
  readonly wrong: readonly string[];
}

export interface Rounds {
  readonly rounds: number;
  /** Whole seconds of each contestant in each round. */
  readonly seconds: number;
  /** Whole seconds of load before the first round: servers go on compiling themselves, and remember what they read. */
  readonly warmUp: number;
  readonly seed: number;
}

/** Whole seconds of each round that are not measured: a server that was idle while the others ran is slow at first. */
const leadIn = 1;

/** Lets all contestants run by turns, in each round in another order of chance, after each has warmed up. */
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
    for (const { name, crews, scenario, database } of shuffled(contestants, random)) {
      const of = measured.get(name);
      const servers = crews[round % crews.length];
      if (of === undefined || servers === undefined) continue;
      await run(of, servers, scenario, leadIn);
      const before = readTimes(servers, database);
      const volley = await run(of, servers, scenario, seconds);
      noteTimes(of.series, before, readTimes(servers, database), volley.answers);
      of.series.rate.push(volley.rate);
      of.series.p50.push(volley.p50);
      of.series.p99.push(volley.p99);
      of.series.busy.push(volley.busy);
      of.series.rss.push(sum(await Promise.all(servers.map((server) => server.memory()))) / 2 ** 20);
      busiest = Math.max(busiest, volley.busy);
    }
    tell(`round ${round} of ${rounds}: the load generator used at most ${Math.round(busiest * 100)} % of a core`);
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
  const series = { rate: [], p50: [], p99: [], main: [], whole: [], database: [], busy: [], rss: [] };
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
