import { z } from 'zod';
import { eventTypes } from '../../../../core/events/event.ts';
import { parseId, toAuditId } from '../../../../core/id.ts';
import { iso } from '../../../../core/iso.ts';
import { type Explanation, explainedRules } from '../../../../core/licensing/explanation.ts';
import { resemblances } from '../../../../core/licensing/nearest-domain.ts';
import { adviceOf, obstacleCodes } from '../../../../core/licensing/obstacles.ts';
import type { AuditEntry } from '../../../../core/ports/audit-log.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { SellerLicenses } from '../../../../core/selling/licenses.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { isoOrNull, text, timestamp } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { givenNotes, givenRights, maxDomains, notes, params, rights } from './fields.ts';
import { answerWith, oneLicense, reading, writing } from './license.ts';

const event = z
  .object({
    id: z.int().meta({ example: 4711 }),
    type: z.enum(eventTypes).meta({ example: 'license.suspended' }),
    at: timestamp,
    actor: z.string().meta({
      description:
        'Your e-mail address, `license-api` for a site that called it, `server` for what the server did by itself, or `administrator`. Administrators see who it was.',
      example: 'ada@example.com',
    }),
    reason: z.string().nullable().meta({ example: 'Refunded.' }),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'What was changed. Each type has its own fields.', example: { status: 'suspended' } }),
  })
  .meta({ id: 'AccountLicenseEvent' });

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
    forced: z.enum(['429', '503', 'slow']).nullable().meta({
      description: 'What the license API answers instead, because the clock of the test license forces it.',
      example: null,
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
    obstacles: z
      .array(
        z.object({
          code: z.enum(obstacleCodes),
          fix: z.string().meta({ description: 'What was found, if something was looked up, and what would help.' }),
          until: timestamp.nullable().meta({ description: 'Until when it lasts, if it ends by itself.' }),
        }),
      )
      .meta({
        description:
          'If the domain is not activated: what keeps the license key from activating it, by the rules of the product about proofs and deactivations. Empty for other products. Codes may be added.',
        example: [
          {
            code: 'slots_in_use',
            fix: 'All 3 domains of the license are in use: remove one or allow more.',
            until: null,
          },
        ],
      }),
  })
  .meta({ id: 'AccountExplanation' });

export function oneLicenseRoutes(tools: AccountTools, licenses: SellerLicenses): Route[] {
  return [
    accountRoute(tools, {
      id: 'get-license',
      ...reading,
      summary: 'Returns a license in any status, with its domains',
      method: 'get',
      paths: ['/api/licenses/:key'],
      params,
      answer: oneLicense,
      refusals: ['not_found'],
      handle: ({ caller, params }) => rendered(licenses.show(params.key, sellerOf(caller)), answerWith),
    }),
    accountRoute(tools, {
      id: 'change-license',
      ...writing,
      summary: 'Changes number of domains, updates, entitlements, holder, reference or metadata of a license',
      description:
        'What you leave out stays. `entitlements`, `holder` and `metadata` are replaced as a whole. The number of domains cannot be less than the number of activated domains.',
      method: 'patch',
      paths: ['/api/licenses/:key'],
      params,
      body: z.object({ max_domains: maxDomains, ...rights, ...notes }),
      answer: oneLicense,
      refusals: ['not_found', 'conflict'],
      async handle({ caller, params, body }) {
        const patch = { maxDomains: body.max_domains, ...givenRights(body), ...givenNotes(body) };
        return rendered(licenses.change(params.key, patch, sellerOf(caller)), answerWith);
      },
    }),
  ];
}

/** The calls that return the history of a license, and why it is valid on a domain or not. */
export function explainRoutes(tools: AccountTools, licenses: SellerLicenses): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-license-events',
      ...reading,
      summary: 'Lists the changes of a license, newest first',
      description: 'Verifications are no changes. A change may be missing for some seconds.',
      method: 'get',
      paths: ['/api/licenses/:key/events'],
      params,
      query: z.object(pageQuery),
      answer: pageOf(event),
      refusals: ['not_found'],
      async handle({ caller, params, query: { cursor, limit } }) {
        const before = cursor === undefined ? undefined : parseId(cursor, toAuditId);
        if (cursor !== undefined && before === undefined) {
          return refuse('unknown_place', 'This is no place in the list.');
        }
        const history = await licenses.events(params.key, { before, limit }, sellerOf(caller));
        if (isRefused(history)) return history;
        return pageAnswer(history.entries.map(renderEvent), history.next === null ? null : String(history.next));
      },
    }),
    accountRoute(tools, {
      id: 'explain-license',
      ...reading,
      summary: 'Explains why a license is valid for a domain, or not',
      description:
        'Checks all rules of a verification, but counts none. If the product asks for a proof of the domain, the proof is looked up, which can take 5 seconds. An account has at most 4 lookups at a time; beyond that, the proof is not looked up.',
      method: 'get',
      paths: ['/api/licenses/:key/explain'],
      params,
      query: z.object({
        domain: text(2048).meta({
          description: 'What the site sends as its domain.',
          example: 'https://app.example.com/',
        }),
      }),
      answer: z.object({ success: z.literal(true), explanation }),
      refusals: ['not_found'],
      handle: ({ caller, params, query }) =>
        rendered(licenses.explain(params.key, query.domain, sellerOf(caller)), (explained) => ({
          success: true as const,
          explanation: renderExplanation(explained),
        })),
    }),
  ];
}

function renderEvent({ id, type, at, actor, reason, data }: AuditEntry): z.output<typeof event> {
  return { id, type, at: iso(at), actor, reason, data: { ...data } };
}

function renderExplanation({
  refusal,
  forced,
  domain,
  rules,
  nearest,
  obstacles,
}: Explanation): z.output<typeof explanation> {
  return {
    valid: refusal === undefined,
    error: refusal === undefined ? null : errors[refusal],
    forced: forced ?? null,
    domain: domain ?? null,
    rules: rules.map(({ rule, isPassed, fix }) => ({ rule, passed: isPassed, fix })),
    nearest: nearest ? { domain: nearest.domain, resemblance: nearest.resemblance, distance: nearest.distance } : null,
    obstacles: obstacles.map((one) => ({ code: one.code, fix: adviceOf(one), until: isoOrNull(one.until ?? null) })),
  };
}
