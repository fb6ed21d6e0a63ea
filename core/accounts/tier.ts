export const tierNames = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof tierNames)[number];
