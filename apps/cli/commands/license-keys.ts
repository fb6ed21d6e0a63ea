import type { Command } from 'commander';
import type { AnswerOf } from '../../sdk/account/types.ts';
import { calling, confirmed, end, orNull, show, wholeNumber } from '../acting.ts';
import { day, note, printTable, say } from '../output.ts';

type Aliases = AnswerOf<'/api/licenses/{key}/aliases', 'get'>['data'];
type NewAlias = { kind: string; until?: string; reason?: string };

/** The keys of one license: a new one of its own, and those of other systems that lead to it. */
export function licenseKeysCommands(licenses: Command): void {
  licenses
    .command('rotate')
    .description('replace the key of a license; domains and counts stay')
    .argument('<key>')
    .option(
      '--overlap-days <number>',
      'the days for which the present key stays valid, up to 30',
      wholeNumber(0, 30),
      0,
    )
    .option('--reason <text>', 'why; kept in the history')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ overlapDays: number; reason?: string; yes?: boolean }, readonly [string]>(
        async ({ post }, options, key) => {
          const { overlapDays, reason, yes } = options;
          const until = overlapDays === 0 ? 'stops working at once' : `works for ${overlapDays} more days`;
          await confirmed(`Replace ${key}? It ${until}.`, yes);
          const body = { overlap_days: overlapDays, reason };
          const answer = await post('/api/licenses/{key}/rotate', { path: { key }, body });
          show(options, answer, () => say(answer.license.key));
        },
      ),
    );
  licenses
    .command('aliases')
    .description('list the other keys that lead to a license')
    .argument('<key>')
    .action(
      calling<object, readonly [string]>(async ({ get }, options, key) => {
        const { data } = await get('/api/licenses/{key}/aliases', { path: { key } });
        show(options, data, () => print(data));
      }),
    );
  licenses
    .command('add-alias')
    .description('let a key of another system lead to a license')
    .argument('<key>')
    .argument('<value>', 'the other key')
    .option(
      '--kind <kind>',
      'where it comes from: lemonsqueezy, edd, gumroad, freemius, keygen, woocommerce, slm',
      'other',
    )
    .option('--until <day>', 'the last day in UTC, such as 2027-01-31, or never', end)
    .option('--reason <text>', 'why; kept in the history')
    .action(
      calling<NewAlias, readonly [string, string]>(async ({ post }, options, key, value) => {
        const body = { value, kind: options.kind, valid_until: orNull(options.until), reason: options.reason };
        const { data } = await post('/api/licenses/{key}/aliases', { path: { key }, body });
        show(options, data, () => print(data));
      }),
    );
  licenses
    .command('remove-alias')
    .description('end an alias at once, also a key that was replaced')
    .argument('<key>')
    .argument('<id>', 'as the list of aliases shows it')
    .action(
      calling<object, readonly [string, string]>(async (api, options, key, alias) => {
        const { data } = await api.delete('/api/licenses/{key}/aliases/{alias}', { path: { key, alias } });
        show(options, data, () => print(data));
      }),
    );
}

function print(aliases: Aliases): void {
  if (aliases.length === 0) note('No other keys lead to this license.');
  else
    printTable(
      ['ID', 'KIND', 'KEY', 'UNTIL'],
      aliases.map(({ id, kind, hint, valid_until }) => [String(id), kind, hint, day(valid_until)]),
    );
}
