/** The states that the license of a simulated server can have. */
const licenseScenarios = ['valid', 'expired', 'revoked', 'suspended'] as const;
export type LicenseScenario = (typeof licenseScenarios)[number];

export const isOfLicense = (scenario: string): scenario is LicenseScenario =>
  (licenseScenarios as readonly string[]).includes(scenario);

/** What a simulated server does. Behind `slow`, the license is valid. */
export const scenarios = [...licenseScenarios, 'outage', 'error', 'limit', 'slow'] as const;
export type Scenario = (typeof scenarios)[number];

/** The path that changes the scenario while the server runs. */
export const switchPath = '/simulate';
