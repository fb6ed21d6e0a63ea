import type { Command } from 'commander';
import { keyModes } from '../../core/accounts/api-key.ts';
import { iso } from '../../core/iso.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { longestKeyOverlap } from '../../core/licensing/rotation.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, administer, type ChangeOptions, changing, operator, reads } from './action.ts';
import { licenseKey, wholeNumber } from './fields.ts';
import type { Terminal } from './terminal.ts';

type Rotate = ChangeOptions & { overlapDays: number };

/** Adds the command that replaces the key of a license. */
export function addLicenseRotateCommand(license: Command, terminal: Terminal): void {
  changing(
    license
      .command('rotate')
      .description('Replace the key of a license, and print the new one; domains and counts stay')
      .argument('<key>', 'license key', reads(licenseKey))
      .option(
        '--overlap-days <n>',
        `days for which the present key stays valid, 0 to ${longestKeyOverlap}`,
        reads(wholeNumber(0, longestKeyOverlap)),
        0,
      ),
  ).action((key: LicenseKey, options: Rotate) => administer(terminal, options, (parts) => rotate(parts, key, options)));
}

async function rotate(parts: Parts, key: LicenseKey, options: Rotate): Promise<Answer | Refused> {
  const { keys } = await parts.get(t.sellerLicenses);
  // Licenses of both modes are the operator's.
  for (const mode of keyModes) {
    const done = await keys.rotate(key, options.overlapDays, { actor: operator(options), mode });
    if (isRefused(done) && done.reason === 'invalid_key') continue;
    if (isRefused(done)) return done;
    const { formerKey, formerEndsAt } = done.rotated;
    const newKey = done.shown.license.key;
    return { json: { key: newKey, formerKey, formerValidUntil: iso(formerEndsAt) }, text: newKey };
  }
  return refuse('invalid_key', `No license has the key ${key}.`);
}
