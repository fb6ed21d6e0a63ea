import type { Migration } from '../migrate.ts';

/** The keys of another system that imported licenses keep, until the import ends. */
export const importedAliases: Migration = {
  name: '0069-imported-aliases',
  async up(trx) {
    await trx.schema.alterTable('license_import_lines', (table) => {
      table.text('alias_kind');
      table.text('alias_digest').unique();
      table.text('alias_exact_digest');
      table.text('alias_hint');
    });
  },
};
