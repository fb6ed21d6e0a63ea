import { z } from 'zod';
import { plans, tierNames } from '../../../core/accounts/tier.ts';
import { type AccountTools, accountRoute, type Route } from '../route.ts';

const user = z
  .object({
    id: z.int().meta({ example: 12 }),
    name: z.string().meta({ example: 'Ada Lovelace' }),
    email: z.string().meta({ example: 'ada@example.com' }),
    tier: z.enum(tierNames).meta({ example: 'pro' }),
    features: z
      .array(z.string())
      .meta({ description: 'The feature flags of the plan.', example: [...plans.pro.features] }),
  })
  .meta({ id: 'User' });

export function accountRoutes(tools: AccountTools): Route[] {
  return [
    accountRoute(tools, {
      id: 'me',
      summary: 'Tells the owner of the API key',
      method: 'get',
      paths: ['/api/auth/me'],
      answer: user,
      refusals: [],
      async handle({ caller }) {
        const { id, name, email, tier } = caller.user;
        return { id, name, email, tier, features: [...plans[tier].features] };
      },
    }),
  ];
}
