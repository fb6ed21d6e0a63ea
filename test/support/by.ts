/** Who changes what a test sets up, for the audit trail. */
export const by = { actor: 'test', reason: 'test' };
