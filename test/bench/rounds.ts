import { randomOf, shuffled } from '../torture/random.ts';
import { fire, type Volley } from './load.ts';
import type { Running } from './processes.ts';
import { connections, type Scenario } from './scenarios.ts';
import type { Options } from './verifications.ts';

/** Servers under one load. */
export interface Contestant {
  readonly name: string;
  /** Which of them it is goes by turns: the same program is compiled a little differently in each process. */
  readonly crews: readonly (readonly Running[])[];
  readonly scenario: Scenario;
}

/** One figure for each round. */
export interface Series {
  /** Answers a second. */
  readonly rate: number[];
  /** Milliseconds. */
  readonly p50: number[];
  readonly p99: number[];
  /** Microseconds of the servers' processor time for each answer; the database's own is not in it. */
  readonly cpu: number[];
  /** Mebibytes of the servers' memory after the round. */
  readonly rss: number[];
}

export interface Measured {
  readonly series: Series;
  /** Answers that told a license to be valid, those of the warm-up included. */
  readonly valid: number;
  readonly wrong: readonly string[];
}

/** Seconds of each round that are not measured: who was idle while the others ran is slow at first. */
const leadIn = 0.7;

/** Lets all contestants run by turns, in each round in another order of chance, after each has warmed up. */
export async function measure(
  contestants: readonly Contestant[],
  options: Pick<Options, 'rounds' | 'seconds' | 'warmUp' | 'seed'>,
  tell: (line: string) => void,
): Promise<Map<string, Measured>> {
  const random = randomOf(options.seed);
  const measured = new Map<string, Figures>();
  for (const contestant of contestants) {
    const series = { rate: [], p50: [], p99: [], cpu: [], rss: [] };
    const of: Figures = { series, valid: 0, wrong: [] };
    measured.set(contestant.name, of);
    for (const servers of contestant.crews) note(of, await run(servers, contestant.scenario, options.warmUp));
  }
  for (let round = 1; round <= options.rounds; round++) {
    tell(`round ${round} of ${options.rounds}`);
    for (const contestant of shuffled(contestants, random)) {
      const of = measured.get(contestant.name);
      const servers = contestant.crews[round % contestant.crews.length];
      if (of === undefined || servers === undefined) continue;
      note(of, await run(servers, contestant.scenario, leadIn));
      const before = await usage(servers);
      const volley = await run(servers, contestant.scenario, options.seconds);
      const after = await usage(servers);
      of.series.rate.push(volley.rate);
      of.series.p50.push(volley.latency.p50);
      of.series.p99.push(volley.latency.p99);
      of.series.cpu.push(((after.cpu - before.cpu) * 1000) / volley.answers);
      of.series.rss.push(after.rss / 2 ** 20);
      note(of, volley);
    }
  }
  return measured;
}

interface Figures {
  readonly series: Series;
  valid: number;
  readonly wrong: string[];
}

function note(of: Figures, { valid, wrong }: Volley): void {
  of.valid += valid;
  of.wrong.push(...wrong);
}

function run(servers: readonly Running[], scenario: Scenario, seconds: number): Promise<Volley> {
  return fire({ ports: servers.map(({ port }) => port), connections, seconds, asksOf: scenario });
}

async function usage(servers: readonly Running[]) {
  const each = await Promise.all(servers.map((server) => server.usage()));
  return { cpu: sum(each.map(({ cpu }) => cpu)), rss: sum(each.map(({ rss }) => rss)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
