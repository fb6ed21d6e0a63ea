/**
 * Who can create an account: everybody with an e-mail address, only people whom an administrator invites, or nobody. With
 * `closed`, links that were sent before do not work either.
 */
export const signUpPolicies = ['open', 'invite', 'closed'] as const;
export type SignUpPolicy = (typeof signUpPolicies)[number];
