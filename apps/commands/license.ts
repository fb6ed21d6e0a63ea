import { type Command, Option } from 'commander';
import { systemClock } from '../../adapters/node/clock.ts';
import { parseEntitlements } from '../../core/licensing/entitlements.ts';
import { type PlainTransition, plainTransitions } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import {
  type Answer,
  type AnswerOptions,
  administer,
  answering,
  type ChangeOptions,
  changing,
  operator,
  reads,
} from './action.ts';
import { type Expiry, futureExpiry, licenseKey, maxDomains, wholeNumber } from './fields.ts';
import { licenseAnswer, productOf } from './license-answer.ts';
import { addLicenseImportCommand } from './license-import.ts';
import { addLicenseListCommand } from './license-list.ts';
import { addLicenseRotateCommand } from './license-rotate.ts';
import type { Terminal } from './terminal.ts';

/**
 * Up to this number of licenses are issued in one transaction. It is short, so a running server does not wait for it.
 */
const inOneTurn = 200;

type Issue = ChangeOptions & {
  product: string;
  maxDomains: number;
  expires: Expiry;
  updatesUntil: Expiry;
  entitlement: string[];
  key?: LicenseKey;
  count: number;
};

const descriptions = {
  suspend: 'Make a license invalid until it is reinstated',
  reinstate: 'Make a suspended license valid again',
  revoke: 'Make a license invalid permanently',
} as const satisfies Record<PlainTransition, string>;

export function addLicenseCommands(program: Command, terminal: Terminal): void {
  const license = program.command('license').description('License keys');
  const expiry = reads(futureExpiry(systemClock.now()));
  const when =
    'a date (2030-01-31: to the end of that day), a date and time, a span from now (30d, 4w, 1y) or never; UTC';

  changing(
    license
      .command('issue')
      .description('Issue licenses, and print their keys')
      .requiredOption('--product <id or slug>', 'the product of the licenses')
      .option('--max-domains <n>', 'number of domains on which each license may be activated', reads(maxDomains), 1)
      .addOption(new Option('--expires <when>', when).argParser(expiry).default({ at: null }, 'never'))
      .addOption(
        new Option('--updates-until <when>', 'releases made until then may be fetched')
          .argParser(expiry)
          .default({ at: null }, 'never'),
      )
      .option('--entitlement <code...>', 'codes whose meaning is up to the sold software', [])
      .option('--key <key>', 'use this key instead of a new one', reads(licenseKey))
      .option('--count <n>', 'number of licenses, 1 to 10000', reads(wholeNumber(1, 10_000)), 1),
  ).action((options: Issue) => administer(terminal, options, (parts) => issue(parts, options)));

  answering(
    license
      .command('show')
      .description('Show the details of a license')
      .argument('<key>', 'license key', reads(licenseKey)),
  ).action((key: LicenseKey, options: AnswerOptions) => administer(terminal, options, (parts) => show(parts, key)));

  for (const transition of plainTransitions) {
    changing(
      license
        .command(transition)
        .description(descriptions[transition])
        .argument('<key>', 'license key', reads(licenseKey)),
    ).action((key: LicenseKey, options: ChangeOptions) =>
      administer(terminal, options, async (parts) => {
        const issuing = await parts.get(t.issuing);
        return showChanged(parts, key, await issuing.change(key, transition, operator(options)));
      }),
    );
  }

  changing(
    license
      .command('renew')
      .description('Set a later expiry date of a license, or none')
      .argument('<key>', 'license key', reads(licenseKey))
      .requiredOption('--expires <when>', when, expiry),
  ).action((key: LicenseKey, options: ChangeOptions & { expires: Expiry }) =>
    administer(terminal, options, async (parts) => {
      const issuing = await parts.get(t.issuing);
      return showChanged(parts, key, await issuing.renew(key, options.expires.at, operator(options)));
    }),
  );

  addLicenseRotateCommand(license, terminal);
  addLicenseListCommand(license, terminal);
  addLicenseImportCommand(license, terminal);
}

async function issue(parts: Parts, options: Issue): Promise<Answer | Refused> {
  const { key, count, expires } = options;
  if (key !== undefined && count > 1)
    return refuse('one_key', 'A key can be given to one license only: leave out --count.');
  const product = await (await parts.get(t.products)).find(options.product, operator());
  if (isRefused(product)) return product;
  const issuing = await parts.get(t.issuing);
  const entitlements = parseEntitlements(options.entitlement);
  if (isRefused(entitlements)) return entitlements;
  const rights = { updatesUntil: options.updatesUntil.at, entitlements };
  const terms = { productId: product.id, maxDomains: options.maxDomains, expiresAt: expires.at, ...rights };
  const issueAll = count > inOneTurn ? issuing.issueMany : issuing.issue;
  const issued = key
    ? await issuing.issueAs(key, terms, operator(options))
    : await issueAll(terms, count, operator(options));
  if (isRefused(issued)) return issued;
  const keys = [issued].flat();
  const json = { product: productOf(product), maxDomains: options.maxDomains, expiresAt: expires.at, ...rights, keys };
  const missing = count - keys.length;
  const failure =
    missing > 0 ? `${missing} of ${count} licenses were not issued: the product no longer exists.` : undefined;
  return { json, text: keys.join('\n'), failure };
}

async function show(parts: Parts, key: LicenseKey): Promise<Answer | Refused> {
  const license = await (await parts.get(t.licensing)).status(key);
  return isRefused(license)
    ? refuse(license.reason, license.detail ?? `No license has the key ${key}.`)
    : licenseAnswer(license);
}

async function showChanged(parts: Parts, key: LicenseKey, changed: object | Refused): Promise<Answer | Refused> {
  return isRefused(changed) && changed.reason !== 'invalid_key' ? changed : await show(parts, key);
}
