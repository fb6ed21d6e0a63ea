import { isPostgres } from '../database.ts';
import type { Migration } from '../migrate.ts';

/** 16 days, as in `stores/deployment-spans.ts`. */
const spanLength = 1_382_400_000;

/**
 * Sums of the sums of `deployment_days`: of each day over all chains, and of each chain over spans of 16 days. So figures of a
 * year read few rows, however many chains there are. Triggers write them, so that older processes and imports need not know
 * about them.
 */
export const deploymentSpans: Migration = {
  name: '0092-deployment-spans',
  async up(trx) {
    const without = isPostgres(trx) ? '' : 'WITHOUT ROWID';
    const sums = 'reported bigint NOT NULL, confirmed bigint NOT NULL';
    await trx.raw(`CREATE TABLE deployment_day_sums (
      template_id integer NOT NULL, is_live integer NOT NULL, day bigint NOT NULL, ${sums},
      PRIMARY KEY (template_id, is_live, day)
    ) ${without}`);
    await trx.raw(`CREATE TABLE deployment_spans (
      template_id integer NOT NULL, is_live integer NOT NULL, start bigint NOT NULL, chain_id bigint NOT NULL,
      first_day bigint NOT NULL, last_day bigint NOT NULL, ${sums},
      PRIMARY KEY (template_id, is_live, start, chain_id)
    ) ${without}`);
    // So that no older process counts a deployment between the sums and the triggers.
    if (isPostgres(trx)) await trx.raw('LOCK TABLE deployment_days IN SHARE ROW EXCLUSIVE MODE');
    await trx.raw(`INSERT INTO deployment_day_sums
      SELECT template_id, is_live, day, sum(reported), sum(confirmed) FROM deployment_days
      GROUP BY template_id, is_live, day`);
    await trx.raw(`INSERT INTO deployment_spans
      SELECT template_id, is_live, ${startOf('day')} AS start, chain_id, min(day), max(day), sum(reported), sum(confirmed)
      FROM deployment_days GROUP BY template_id, is_live, start, chain_id`);
    // On SQLite, a row takes much longer to read than its place in an index.
    if (!isPostgres(trx)) {
      await trx.raw(
        'CREATE INDEX deployment_days_read ON deployment_days (template_id, is_live, day, chain_id, reported, confirmed)',
      );
    }
    for (const statement of isPostgres(trx) ? postgresTriggers : sqliteTriggers) await trx.raw(statement);
  },
};

function startOf(at: string): string {
  return `${at} - ${at} % ${spanLength}`;
}

/** Adds the day of a row to both tables. `reported` and `confirmed` are what is added. */
function adding(reported: string, confirmed: string): string {
  return `INSERT INTO deployment_day_sums (template_id, is_live, day, reported, confirmed)
    VALUES (NEW.template_id, NEW.is_live, NEW.day, ${reported}, ${confirmed})
    ON CONFLICT (template_id, is_live, day) DO UPDATE SET
      reported = deployment_day_sums.reported + excluded.reported,
      confirmed = deployment_day_sums.confirmed + excluded.confirmed;
  INSERT INTO deployment_spans (template_id, is_live, start, chain_id, first_day, last_day, reported, confirmed)
    VALUES (NEW.template_id, NEW.is_live, ${startOf('NEW.day')}, NEW.chain_id, NEW.day, NEW.day, ${reported}, ${confirmed})
    ON CONFLICT (template_id, is_live, start, chain_id) DO UPDATE SET
      first_day = CASE WHEN excluded.first_day < deployment_spans.first_day THEN excluded.first_day ELSE deployment_spans.first_day END,
      last_day = CASE WHEN excluded.last_day > deployment_spans.last_day THEN excluded.last_day ELSE deployment_spans.last_day END,
      reported = deployment_spans.reported + excluded.reported,
      confirmed = deployment_spans.confirmed + excluded.confirmed;`;
}

const ofDay = 'template_id = OLD.template_id AND is_live = OLD.is_live AND day = OLD.day';
const ofSpan = `template_id = OLD.template_id AND is_live = OLD.is_live AND start = ${startOf('OLD.day')} AND chain_id = OLD.chain_id`;
const less = 'reported = reported - OLD.reported, confirmed = confirmed - OLD.confirmed';
/** The first or the last of the days that are left in the span. */
const left = (which: 'min' | 'max') => `(SELECT ${which}(one.day) FROM deployment_days AS one
  WHERE one.template_id = OLD.template_id AND one.is_live = OLD.is_live AND one.chain_id = OLD.chain_id
  AND one.day >= ${startOf('OLD.day')} AND one.day < ${startOf('OLD.day')} + ${spanLength})`;

const removing = `UPDATE deployment_day_sums SET ${less} WHERE ${ofDay};
  DELETE FROM deployment_day_sums WHERE ${ofDay} AND reported <= 0;
  UPDATE deployment_spans SET ${less},
    first_day = coalesce(${left('min')}, first_day), last_day = coalesce(${left('max')}, last_day) WHERE ${ofSpan};
  DELETE FROM deployment_spans WHERE ${ofSpan} AND reported <= 0;`;

/** What each trigger does. The keys of a day never change. */
const acts = {
  insert: adding('NEW.reported', 'NEW.confirmed'),
  update: adding('NEW.reported - OLD.reported', 'NEW.confirmed - OLD.confirmed'),
  delete: removing,
};

const sqliteTriggers = Object.entries(acts).map(
  ([on, act]) => `CREATE TRIGGER deployment_days_${on} AFTER ${on.toUpperCase()} ON deployment_days FOR EACH ROW BEGIN
  ${act}
END`,
);

const postgresTriggers = Object.entries(acts).flatMap(([on, act]) => [
  `CREATE FUNCTION deployment_days_${on}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  ${act}
  RETURN NULL; END $$`,
  `CREATE TRIGGER deployment_days_${on} AFTER ${on.toUpperCase()} ON deployment_days FOR EACH ROW EXECUTE FUNCTION deployment_days_${on}()`,
]);
