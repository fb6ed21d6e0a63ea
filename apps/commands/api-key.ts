import { type Command, Option } from 'commander';
import { z } from 'zod';
import { systemClock } from '../../adapters/node/clock.ts';
import { type ApiKey, type KeyMode, keyModes, keyStateOf, maxOverlap } from '../../core/accounts/api-key.ts';
import type { KeyTerms } from '../../core/accounts/api-key-terms.ts';
import { type Scopes, scopeNames } from '../../core/accounts/scope.ts';
import { iso } from '../../core/iso.ts';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { type AnswerOptions, administer, answering, type ChangeOptions, changing, operator, reads } from './action.ts';
import { type Expiry, futureExpiry, line } from './fields.ts';
import { expires } from './license-answer.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

export function addKeyCommands(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('API keys of account holders');

  changing(key.command('create'))
    .description('Create an API key. It is printed only once')
    .requiredOption('--user <id or email>', 'the owner of the key')
    .option('--name <name>', 'what the key is for', reads(line(100)), 'API key')
    .addOption(new Option('--mode <mode>', 'live, or test').choices(keyModes).default('live'))
    .addOption(
      new Option('--scopes <list>', `what the key may do: all, or some of ${scopeNames.join(',')}`)
        .argParser(reads(allowedScopes))
        .default({ scopes: null }, 'all'),
    )
    .addOption(
      new Option('--expires <when>', 'a date, 30d, 1y or never')
        .argParser(reads(futureExpiry(systemClock.now())))
        .default({ at: null }, 'never'),
    )
    .action(
      (options: ChangeOptions & { user: string; name: string; mode: KeyMode; scopes: Allowed; expires: Expiry }) =>
        administer(terminal, options, async (parts) => {
          const accounts = await parts.get(t.accounts);
          const { name, mode, scopes: allowed, expires } = options;
          const terms: KeyTerms = { name, mode, scopes: allowed.scopes, expiresAt: expires.at };
          const created = await accounts.createKey(options.user, terms, operator(options));
          if (isRefused(created)) return created;
          return {
            json: { key: { ...render(created.key), secret: created.secret } },
            text: `${created.secret}\nStore it safely: it is not shown again.`,
          };
        }),
    );

  answering(key.command('list'))
    .description("List a user's API keys, newest first")
    .requiredOption('--user <id or email>', 'the owner of the keys')
    .action((options: AnswerOptions & { user: string }) =>
      administer(terminal, options, async (parts) => {
        const keys = await (await parts.get(t.accounts)).listKeys(options.user, operator());
        if (isRefused(keys)) return keys;
        const { now } = await parts.get(t.clock);
        const rows = keys.map((one) => [
          String(one.id),
          `${one.prefix}…${one.lastFour}`,
          one.name,
          one.scopes?.join(',') ?? 'all',
          keyStateOf(one, now()),
          expires(one.expiresAt),
          one.lastUsedAt === null ? 'never' : iso(one.lastUsedAt),
        ]);
        return {
          json: { keys: keys.map(render) },
          text: table([['ID', 'KEY', 'NAME', 'SCOPES', 'STATE', 'EXPIRES', 'LAST USED'], ...rows]),
        };
      }),
    );

  changing(key.command('rotate'))
    .description('Replace an API key by a new one with the same terms. The new key is printed only once')
    .argument('<id or prefix>', 'the id of the key, or its first characters')
    .addOption(
      new Option('--overlap <time>', 'how long the old key still works: 0, or up to 7d, such as 30m or 12h')
        .argParser(reads(overlap))
        .default(maxOverlap, '7d'),
    )
    .action((idOrPrefix: string, options: ChangeOptions & { overlap: number }) =>
      administer(terminal, options, async (parts) => {
        const accounts = await parts.get(t.accounts);
        const rotated = await accounts.rotateKey(idOrPrefix, options.overlap, operator(options));
        if (isRefused(rotated)) return rotated;
        const { old, key, secret } = rotated;
        return {
          json: { key: { ...render(key), secret }, replaced: render(old) },
          text: `${secret}\nStore it safely: it is not shown again. ${old.prefix}…${old.lastFour} stops working at ${expires(old.expiresAt)}.`,
        };
      }),
    );

  changing(key.command('revoke'))
    .description('Revoke an API key permanently')
    .argument('<id or prefix>', 'the id of the key, or its first characters')
    .action((idOrPrefix: string, options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const revoked = await (await parts.get(t.accounts)).revokeKey(idOrPrefix, operator(options));
        if (isRefused(revoked)) return revoked;
        return { json: { key: render(revoked) }, text: `Revoked ${revoked.prefix}…${revoked.lastFour}` };
      }),
    );
}

/** Renders a key without its digest. */
function render(key: ApiKey) {
  const { id, userId, name, mode, scopes, prefix, lastFour } = key;
  const { createdAt, expiresAt, revokedAt, replacedBy, lastUsedAt } = key;
  return { id, userId, name, mode, scopes, prefix, lastFour, createdAt, expiresAt, revokedAt, replacedBy, lastUsedAt };
}

/** The scopes of a new key. It is an object, because commander treats a bare `null` as an empty text. */
interface Allowed {
  readonly scopes: Scopes;
}

/** `all`, or names of scopes with commas between them. */
const allowedScopes = z.string().transform((text, context): Allowed => {
  if (text.trim() === 'all') return { scopes: null };
  const list = z.array(z.enum(scopeNames)).safeParse(text.split(',').map((name) => name.trim()));
  if (list.success) return { scopes: list.data };
  context.addIssue(`It must be all, or some of ${scopeNames.join(',')}.`);
  return z.NEVER;
});

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** The overlap of a rotation, in seconds: `0`, `30m`, `12h` or `7d`. */
const overlap = z.string().transform((text, context) => {
  if (text.trim() === '0') return 0;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  if (seconds <= maxOverlap) return seconds;
  context.addIssue('It must be 0, or a time of at most 7 days, such as 30m, 12h or 7d.');
  return z.NEVER;
});
