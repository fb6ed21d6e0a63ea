import { z } from 'zod';
import { plans, tierNames } from '../../../core/accounts/tier.ts';
import { type AccountTools, accountRoute, type Route } from '../route.ts';

const user = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  tier: z.enum(tierNames),
  features: z.array(z.string()).meta({ description: 'The feature flags of the plan.', example: ['mainnet_deploy'] }),
});

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
