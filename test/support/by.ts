import type { Actor } from '../../core/accounts/role.ts';

/** Actor and reason in the audit trail for changes by a test's setup. */
export const by = { actor: 'test', reason: 'test' };

/** The operator, who may do everything. */
export const operator: Actor = { kind: 'operator', by };
