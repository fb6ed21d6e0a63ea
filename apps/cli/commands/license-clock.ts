import type { Command } from 'commander';
import type { AnswerOf } from '../../sdk/account/types.ts';
import { calling, show } from '../acting.ts';
import { printFacts } from '../output.ts';
import { Stop } from '../stop.ts';

type Clock = AnswerOf<'/api/licenses/{key}', 'get'>['license']['test_clock'];
type Force = NonNullable<NonNullable<Clock>['forced']> | 'none';

const known: Readonly<Record<Force, true>> = {
  suspended: true,
  expired: true,
  429: true,
  503: true,
  slow: true,
  none: true,
};
const answers = Object.keys(known).toSorted((one, other) => other.length - one.length) as Force[];

/** Sets the clock of a test license. */
export function licenseClockCommand(licenses: Command): void {
  licenses
    .command('clock')
    .description('set the clock of a test license, to see a site in every state')
    .argument('<key>')
    .option('--advance <duration>', 'by how long: P30D, P1M, PT12H')
    .option('--force <answer>', `what the license API answers: ${answers.join(', ')}`, forcedBy)
    .option('--reason <text>', 'why; kept in the history')
    .action(
      calling<{ advance?: string; force?: Force; reason?: string }, readonly [string]>(
        async ({ post }, options, key) => {
          const { advance, force, reason } = options;
          const { license } = await post('/api/licenses/{key}/clock', {
            path: { key },
            body: { advance, force: force === 'none' ? null : force, reason },
          });
          show(options, license, () =>
            printFacts([['Key', license.key], ['Status', license.status], ...clockFacts(license.test_clock)]),
          );
        },
      ),
    );
}

/** Returns the lines that describe a clock. */
export function clockFacts(clock: Clock): [string, string][] {
  if (clock === null) return [];
  return [
    ['Days ahead', String(Math.round(clock.ahead_seconds / 864) / 100)],
    ['API answers', clock.forced ?? 'as the license is'],
  ];
}

function forcedBy(text: string): Force {
  const force = answers.find((one) => one === text);
  if (force === undefined) throw new Stop('wrongUsage', `${text} is none of ${answers.join(', ')}.`);
  return force;
}
