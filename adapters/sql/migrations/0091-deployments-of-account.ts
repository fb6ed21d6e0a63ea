import type { Migration } from '../migrate.ts';

/** What an account has deployed of a template is read without its other deployments. */
export const deploymentsOfAccount: Migration = {
  name: '0091-deployments-of-account',
  async up(trx) {
    await trx.raw(
      'CREATE INDEX deployments_of_account ON deployments (user_id, is_live, template_id, at, id) WHERE template_id IS NOT NULL',
    );
  },
};
