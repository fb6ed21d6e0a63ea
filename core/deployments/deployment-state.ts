/** What is known of a reported deployment. */
export const deploymentStates = ['unchecked', 'confirmed', 'reverted', 'not_found', 'mismatch', 'no_rpc'] as const;
export type DeploymentState = (typeof deploymentStates)[number];
