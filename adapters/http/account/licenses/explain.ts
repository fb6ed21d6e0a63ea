import { z } from 'zod';
import { type Explanation, explainedRules } from '../../../../core/licensing/explanation.ts';
import { resemblances } from '../../../../core/licensing/nearest-domain.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { text } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { params } from './fields.ts';
import { known } from './known.ts';
import { tag } from './tag.ts';

/** The codes of the license API for each refusal of a verification. */
const errors = {
  illegal_domain: 'validation_error',
  invalid_domain: 'invalid_domain',
  suspended: 'suspended',
  revoked: 'revoked',
  expired: 'expired',
} as const satisfies Record<NonNullable<Explanation['refusal']>, string>;

const explanation = z
  .object({
    valid: z.boolean().meta({ description: 'Whether a verification would succeed now.', example: false }),
    error: z.enum(Object.values(errors)).nullable().meta({
      description: 'The error that a verification would return now. Null if it would succeed.',
      example: 'invalid_domain',
    }),
    domain: z
      .string()
      .nullable()
      .meta({ description: 'The normalized host. Null if the text has none.', example: 'app.example.com' }),
    rules: z
      .array(
        z.object({
          rule: z.enum(explainedRules),
          passed: z.boolean(),
          fix: z.string().nullable().meta({ description: 'What would help. Null if the rule is passed.' }),
        }),
      )
      .meta({
        description: 'All rules, in the order in which they are checked. The first that fails decides.',
        example: [{ rule: 'domain_activated', passed: false, fix: 'Activate the license on app.example.com.' }],
      }),
    nearest: z
      .object({
        domain: z.string(),
        resemblance: z.enum(resemblances),
        distance: z.int().meta({ description: 'Characters to add, remove, replace or swap.' }),
      })
      .nullable()
      .meta({
        description: 'The activated domain that was probably meant, if the domain itself is not activated.',
        example: { domain: 'www.app.example.com', resemblance: 'www', distance: 4 },
      }),
  })
  .meta({ id: 'AccountExplanation' });

export function explainLicense(tools: AccountTools, licenses: SellerLicenses): Route {
  return accountRoute(tools, {
    id: 'explain-license',
    tag,
    summary: 'Explains why a license is valid for a domain, or not',
    description: 'Checks all rules of a verification, but counts none.',
    method: 'get',
    paths: ['/api/licenses/:key/explain'],
    scope: 'licenses:read',
    params,
    query: z.object({
      domain: text(2048).meta({
        description: 'What the site sends as its domain.',
        example: 'https://app.example.com/',
      }),
    }),
    answer: z.object({ success: z.literal(true), explanation }),
    refusals: ['not_found'],
    async handle({ caller, params, query }) {
      const explained = await licenses.explain(params.key, query.domain, sellerOf(caller));
      return isRefused(explained) ? known(explained) : { success: true as const, explanation: render(explained) };
    },
  });
}

function render({ refusal, domain, rules, nearest }: Explanation): z.output<typeof explanation> {
  return {
    valid: refusal === undefined,
    error: refusal === undefined ? null : errors[refusal],
    domain: domain ?? null,
    rules: rules.map(({ rule, isPassed, fix }) => ({ rule, passed: isPassed, fix })),
    nearest: nearest ? { domain: nearest.domain, resemblance: nearest.resemblance, distance: nearest.distance } : null,
  };
}
