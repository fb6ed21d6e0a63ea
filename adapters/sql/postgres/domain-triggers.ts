/** The triggers that keep the texts of domains. A table that replaces the activations needs them too. */
export const domainTriggers = [
  'CREATE TRIGGER domain_added AFTER INSERT ON activations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_domain_texts()',
  'CREATE TRIGGER domain_removed AFTER DELETE ON activations REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION remove_domain_texts()',
] as const;

/** Their names. */
export const domainTriggerNames = ['domain_added', 'domain_removed'] as const;
