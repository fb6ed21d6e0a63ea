import type { Migration } from '../migrate.ts';

/** Work to be done after the answer, and the mails of the last weeks. */
export const workAndMails: Migration = {
  name: '0013-work-and-mails',
  async up(trx) {
    await trx.schema.createTable('work', (table) => {
      table.bigIncrements('id');
      table.string('kind').notNullable();
      table.bigInteger('subject_id').notNullable();
      table.integer('attempt').notNullable().defaultTo(0);
      table.bigInteger('due').notNullable();
      table.bigInteger('added_at').notNullable();
      table.index(['due', 'id']);
      table.unique(['kind', 'subject_id']);
    });
    await trx.schema.createTable('mails', (table) => {
      table.increments('id');
      table.string('kind').notNullable();
      table.text('name').notNullable();
      table.text('address').notNullable();
      table.text('subject').notNullable();
      table.text('text').notNullable();
      table.text('html').notNullable();
      table.string('state').notNullable();
      table.integer('attempts').notNullable();
      table.text('error');
      table.bigInteger('created_at').notNullable().index();
      table.bigInteger('settled_at');
      table.index(['state', 'id']);
    });
  },
};
