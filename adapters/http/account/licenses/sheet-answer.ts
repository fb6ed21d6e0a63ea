import { z } from 'zod';
import { iso } from '../../../../core/iso.ts';
import { licenseStatuses } from '../../../../core/licensing/license.ts';
import { longestProductName } from '../../../../core/selling/foreign-export.ts';
import { type Checked, mostFaults } from '../../../../core/selling/sheet-report.ts';
import { importAnswer } from '../../../contracts/idempotency-store.ts';

const lineNumber = z.int().meta({ description: 'Of a file in JSON the number of the license.', example: 2 });
const lineWith = (message: string) => z.object({ line: lineNumber, message: z.string().meta({ example: message }) });
const others = (what: string) => z.int().meta({ description: `The number of further ${what}.`, example: 0 });

const checked = z.object({
  licenses: z
    .array(
      z.object({
        line: lineNumber,
        product: z.string().meta({ example: 'simple-dex' }),
        status: z.enum(licenseStatuses),
        max_domains: z.int().meta({ example: 3 }),
        expires_at: z.iso.datetime().nullable().meta({ example: null }),
        domains: z.int().meta({ description: 'On how many domains it is activated already.', example: 1 }),
      }),
    )
    .meta({ description: `The licenses that an import would add, at most ${mostFaults} of them.` }),
  more_licenses: others('licenses'),
  faults: z
    .array(lineWith('product "none": No product has this id or slug.'))
    .meta({ description: `At most ${mostFaults}. If there are any, an import adds nothing.` }),
  more_faults: others('faults'),
  passed_over: z
    .array(lineWith('It has no license key.'))
    .meta({ description: `Lines that are no licenses to import, with the reasons, at most ${mostFaults} of them.` }),
  more_passed_over: others('lines that are passed over'),
  unmapped: z
    .array(z.object({ their_product: z.string().meta({ example: 'Old DEX' }), lines: z.int().meta({ example: 12 }) }))
    .meta({
      description: `The products there whose lines are passed over because \`map\` does not name them, at most ${mostFaults} of them. Of a name with more than ${longestProductName} characters so many, and \`…\`.`,
    }),
  more_unmapped: others('lines of further products that are not named'),
});

/** The body that an import and a check return. */
export const answer = z.object({
  success: z.literal(true),
  imported: z.int().meta({ example: 1 }),
  left_out: z.int().meta({
    description:
      'Lines that were left out because their key or product was changed during the import; their reasons are in the audit trail. Normally 0.',
    example: 0,
  }),
  passed_over: z.int().meta({
    description: 'Lines that were no licenses to import. `dry_run=true` says why.',
    example: 0,
  }),
  check: checked.optional().meta({ description: 'Only with `dry_run=true`.' }),
});

/** Returns the body for a check: what an import would do. */
export function checkAnswer({ licenses, faults, passedOver, unmapped }: Checked): z.output<typeof answer> {
  return {
    ...importAnswer({ added: 0, leftOut: 0, passedOver: 0 }),
    check: {
      licenses: licenses.first.map(({ maxDomains, expiresAt, ...own }) => {
        return { ...own, max_domains: maxDomains, expires_at: expiresAt === null ? null : iso(expiresAt) };
      }),
      more_licenses: licenses.others,
      faults: [...faults.first],
      more_faults: faults.others,
      passed_over: passedOver.first.map(({ line, message }) => ({ line, message })),
      more_passed_over: passedOver.others,
      unmapped: unmapped.first.map(({ theirProduct, lines }) => ({ their_product: theirProduct, lines })),
      more_unmapped: unmapped.others,
    },
  };
}
