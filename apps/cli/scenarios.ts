/** What a simulated server does. The first four are states of its license, the others failures of the server. */
export const scenarios = ['valid', 'expired', 'revoked', 'suspended', 'outage', 'error', 'limit', 'slow'] as const;
export type Scenario = (typeof scenarios)[number];

/** The path that changes the scenario while the server runs. */
export const switchPath = '/simulate';
