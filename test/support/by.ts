/** Actor and reason in the audit trail for changes by a test's setup. */
export const by = { actor: 'test', reason: 'test' };
