import { z } from 'zod';
import { listedFeatures, tierNames } from '../../../core/accounts/tier.ts';
import { type AccountTools, accountRoute, type Route, type Tag } from '../route.ts';

const user = z
  .object({
    id: z.int().meta({ example: 12 }),
    name: z.string().meta({ example: 'Ada Lovelace' }),
    email: z.string().meta({ example: 'ada@example.com' }),
    tier: z.enum(tierNames).meta({ example: 'pro' }),
    features: z
      .array(z.string())
      .meta({ description: 'The feature flags of the plan.', example: listedFeatures('pro') }),
  })
  .meta({ id: 'AccountUser' });

const tag: Tag = {
  name: 'Account',
  description: 'The owner of the API key.',
};

export function accountRoutes(tools: AccountTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'me',
      tag,
      summary: 'Returns the owner of the API key',
      method: 'get',
      paths: ['/api/auth/me'],
      scope: 'account:read',
      answer: user,
      refusals: [],
      async handle({ caller }) {
        const { id, name, email, tier } = caller.user;
        return { id, name, email, tier, features: listedFeatures(tier) };
      },
    }),
  ];
}
