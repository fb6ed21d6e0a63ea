import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { PlainTransition } from '../../../core/licensing/license.ts';
import { type ExportOptions, mapIn, withExportOptions } from '../../export-options.ts';
import { queryOf } from '../../sdk/account/client.ts';
import type { AnswerOf, ItemOf } from '../../sdk/account/types.ts';
import { calling, confirmed, end, type Given, orNull, show, wholeNumber } from '../acting.ts';
import { type Api, stream } from '../api.ts';
import { colored, day, note, printFacts, printTable, say } from '../output.ts';
import { Stop } from '../stop.ts';
import { clockFacts, licenseClockCommand } from './license-clock.ts';
import { licenseKeysCommands } from './license-keys.ts';

/** Licenses of own products. */
export function licensesCommand(program: Command): void {
  const licenses = program.command('licenses').description('list, issue and change licenses of your products');
  licenses
    .command('list')
    .description('list and search licenses, newest first')
    .argument('[text]', 'find by key, domain, holder or reference')
    .option('--product <product>', 'only those of a product, by id or slug')
    .option('--status <status>', 'active, suspended, revoked or expired')
    .option('--limit <number>', 'the most licenses to list', wholeNumber(1), 30)
    .action(
      calling<{ product?: string; status?: string; limit: number }, readonly [string | undefined]>(
        async ({ list }, options, q) => {
          const { product, status, limit } = options;
          const found = await list('/api/licenses', { query: { q, product, status } }, limit);
          show(options, found, () => {
            if (found.length === 0) note('There are no such licenses.');
            else printLicenses(found);
          });
        },
      ),
    );
  licenses
    .command('issue')
    .description('issue new licenses')
    .argument('<product>', 'id or slug')
    .option('--offer <slug>', 'an offer of the product, for its terms')
    .option('--count <number>', 'how many', wholeNumber(1, 1000))
    .option('--max-domains <number>', 'domains for each; default: as the product says', wholeNumber(1))
    .option('--expires <day>', 'the last day in UTC, such as 2027-01-31, or never; default: as the product says', end)
    .option('--updates-until <day>', 'the last day in UTC whose releases it may fetch, or never, so all', end)
    .option('--entitlement <code...>', 'codes whose meaning is up to your software')
    .option('--holder-email <address>', 'who has it')
    .option('--holder-name <name>', 'who has it')
    .option('--reference <text>', 'your own name for it, such as an order number')
    .action(
      calling<IssueOptions, readonly [string]>(async ({ post }, options, product) => {
        const { count, maxDomains, expires, holderEmail, holderName, reference } = options;
        const isHeld = (holderEmail ?? holderName) !== undefined;
        const answer = await post('/api/licenses', {
          body: {
            product,
            offer: options.offer,
            count,
            max_domains: maxDomains,
            expires_at: orNull(expires),
            updates_until: orNull(options.updatesUntil),
            entitlements: options.entitlement,
            holder: isHeld ? { email: holderEmail ?? null, name: holderName ?? null } : undefined,
            reference,
          },
        });
        // One key on each line, for scripts.
        show(options, answer.data, () => {
          for (const { key } of answer.data) say(key);
        });
      }),
    );
  licenses
    .command('show')
    .description('show a license with its domains')
    .argument('<key>')
    .action(
      calling(async ({ get }, options, key: string) => {
        const { license } = await get('/api/licenses/{key}', { path: { key } });
        show(options, license, () => printLicense(license));
      }),
    );
  for (const [name, description] of [
    ['suspend', 'suspend a license: it is invalid until it is reinstated'],
    ['reinstate', 'end a suspension'],
  ] as const) {
    licenses
      .command(name)
      .description(description)
      .argument('<key>')
      .option('--reason <text>', 'why; kept in the history')
      .action(calling<{ reason?: string }, readonly [string]>((api, options, key) => transit(api, options, key, name)));
  }
  licenses
    .command('revoke')
    .description('revoke a license for ever')
    .argument('<key>')
    .option('--reason <text>', 'why; kept in the history')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ reason?: string; yes?: boolean }, readonly [string]>(async (api, options, key) => {
        await confirmed(`Revoke ${key} for ever?`, options.yes);
        await transit(api, options, key, 'revoke');
      }),
    );
  licenses
    .command('renew')
    .description('move the end of a license to a later time')
    .argument('<key>')
    .option('--until <day>', 'the new last day in UTC, such as 2027-01-31, or never; default: as the product says', end)
    .option('--reason <text>', 'why; kept in the history')
    .action(
      calling<{ until?: string; reason?: string }, readonly [string]>(async ({ post }, options, key) => {
        const { until, reason } = options;
        const body = { expires_at: orNull(until), reason };
        const { license } = await post('/api/licenses/{key}/renew', { path: { key }, body });
        show(options, license, () => say(`${license.key} expires: ${day(license.expires_at)}.`));
      }),
    );
  licenseClockCommand(licenses);
  licenseKeysCommands(licenses);
  licenses
    .command('explain')
    .description('explain why a license is valid for a domain, or not')
    .argument('<key>')
    .argument('<domain>')
    .action(
      calling<object, readonly [string, string]>(async ({ get }, options, key, domain) => {
        const { explanation } = await get('/api/licenses/{key}/explain', { path: { key }, query: { domain } });
        show(options, explanation, () => printExplanation(explanation));
      }),
    );
  withExportOptions(
    licenses
      .command('import')
      .description('import licenses from a file: all of them, or none; the same file once in 24 hours')
      .argument('<file>', 'a file, or - for standard input'),
  )
    .option('--idempotency-key <text>', 'the name of this import; default: made from the content of the file')
    .action(
      calling<ImportOptions, readonly [string]>(async (api, options, file) => {
        const { importLicenses, sourceOf } = await import('../import-licenses.ts');
        const { from, product, theirProduct, dryRun } = options;
        const as = { from, product, theirProduct, map: await mapIn(options), dryRun };
        const interrupt = new AbortController();
        const stop = () => interrupt.abort();
        const signals = ['SIGINT', 'SIGTERM'] as const;
        for (const signal of signals) process.once(signal, stop);
        const source = await sourceOf(file, options.idempotencyKey, as, interrupt.signal);
        const answer = await importLicenses(api, source, interrupt.signal).finally(async () => {
          for (const signal of signals) process.off(signal, stop);
          await source.discard();
        });
        const { check, imported, left_out: leftOut, passed_over: passedOver } = answer;
        const { readCheck } = await import('../import-check.ts');
        const { reportOf } = await import('../../../core/selling/check-lines.ts');
        show(options, answer, () => {
          if (check === undefined) {
            const passed = passedOver > 0 ? `, passed over ${passedOver} (--dry-run says why)` : '';
            return say(`Imported ${imported}, left out ${leftOut}${passed}.`);
          }
          const { head, rows, lines } = reportOf(readCheck(check), from);
          if (rows.length > 0) printTable(head, rows);
          for (const line of lines) say(line);
        });
      }),
    );
  licenses
    .command('export')
    .description('write licenses as CSV')
    .option('--product <product>', 'only those of a product, by id or slug')
    .option('--status <status>', 'active, suspended, revoked or expired')
    .option('-o, --out <file>', 'a file; default: standard output')
    .action(
      calling<{ product?: string; status?: string; out?: string }>(async (api, { product, status, out }) => {
        const address = `/api/licenses/export${queryOf({ product, status })}`;
        const response = await stream(api, address);
        const text = await response.text();
        if (out === undefined) process.stdout.write(text);
        else await writeFile(out, text, { flag: 'wx' }).catch(existing(out));
      }),
    );
}

interface ImportOptions extends ExportOptions {
  readonly idempotencyKey?: string;
}

interface IssueOptions {
  readonly offer?: string;
  readonly count?: number;
  readonly maxDomains?: number;
  readonly expires?: string;
  readonly updatesUntil?: string;
  readonly entitlement?: string[];
  readonly holderEmail?: string;
  readonly holderName?: string;
  readonly reference?: string;
}

async function transit(
  { post }: Api,
  options: Given<{ reason?: string }>,
  key: string,
  transition: PlainTransition,
): Promise<void> {
  const { license } = await post(`/api/licenses/{key}/${transition}`, {
    path: { key },
    body: { reason: options.reason },
  });
  show(options, license, () => say(`${license.key} is ${status(license.status)}.`));
}

function existing(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EEXIST') throw error;
    throw new Stop('wrongUsage', `${path} exists already.`, 'Choose another name with --out.');
  };
}

function printLicenses(found: readonly ItemOf<'/api/licenses'>[]): void {
  printTable(
    ['KEY', 'STATUS', 'PRODUCT', 'HOLDER', 'DOMAINS', 'EXPIRES'],
    found.map((one) => [
      one.key,
      one.status,
      one.product.slug,
      one.holder?.email ?? one.holder?.name ?? '',
      `${one.domains_used}/${one.max_domains}`,
      day(one.expires_at),
    ]),
  );
}

function printLicense(one: AnswerOf<'/api/licenses/{key}', 'get'>['license']): void {
  printFacts([
    ['Key', one.key],
    ['Status', status(one.status)],
    ['Product', `${one.product.title} (${one.product.slug})`],
    ['Holder', [one.holder?.name, one.holder?.email].filter(Boolean).join(', ') || '–'],
    ['Reference', one.reference ?? '–'],
    ['Domains', `${one.domains_used} of ${one.max_domains}`],
    ['Expires', day(one.expires_at)],
    ['Updates until', one.updates_until === null ? 'for ever' : day(one.updates_until)],
    ['Entitlements', one.entitlements.join(', ') || '–'],
    ['Issued', day(one.created_at)],
    ['Verified', `${one.verification_count} times`],
    ...clockFacts(one.test_clock),
  ]);
  if (one.domains.length === 0) return;
  say();
  printTable(
    ['DOMAIN', 'SINCE', 'KIND', 'PROVEN', 'VERIFIED'],
    one.domains.map((place) => [
      place.domain,
      day(place.activated_at),
      place.kind,
      place.proven_at === null ? '–' : day(place.proven_at),
      String(place.verification_count),
    ]),
  );
}

type Explanation = AnswerOf<'/api/licenses/{key}/explain', 'get'>['explanation'];

function printExplanation({ valid, forced, domain, error, rules, nearest, obstacles }: Explanation): void {
  if (forced !== null) say(colored('yellow', `The test clock forces the answer ${forced}. Without that:`));
  say(valid ? colored('green', `Valid on ${domain}.`) : colored('red', `Not valid on ${domain ?? 'this'}: ${error}.`));
  for (const { rule, passed, fix } of rules) {
    say(`${passed ? colored('green', 'ok  ') : colored('red', 'no  ')} ${rule}${fix === null ? '' : `: ${fix}`}`);
  }
  for (const { code, fix, until } of obstacles) say(`     ${code}${until === null ? '' : ` until ${until}`}: ${fix}`);
  if (nearest !== null) say(`Did you mean ${nearest.domain}?`);
}

function status(name: string): string {
  return colored(name === 'active' ? 'green' : 'yellow', name);
}
