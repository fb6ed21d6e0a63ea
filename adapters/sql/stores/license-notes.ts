import type { Knex } from 'knex';
import type { LicenseKey } from '../../../core/licensing/license-key.ts';
import { type LicenseNotes, noNotes } from '../../../core/licensing/license-notes.ts';
import { noteTexts } from '../../../core/licensing/license-search-texts.ts';
import type { ShortNotes } from '../../../core/selling/sold-license.ts';
import { isPostgres } from '../database.ts';
import { wellFormed } from '../json-rows.ts';

/** The columns of the short notes. */
export interface ShortNotesRow {
  readonly holder_email: string | null;
  readonly holder_name: string | null;
  readonly reference: string | null;
}

export interface NotesRow extends ShortNotesRow {
  /** JSON. `null` if the license has no metadata. */
  readonly metadata: string | null;
}

export const shortNotesColumns = ['holder_email', 'holder_name', 'reference'] as const satisfies (keyof NotesRow)[];

/** Returns the columns of the notes that are given. */
export function notesRow({ holder, reference, metadata }: Partial<LicenseNotes>): Partial<NotesRow> {
  return {
    ...(holder !== undefined && { holder_email: holder?.email ?? null, holder_name: holder?.name ?? null }),
    ...(reference !== undefined && { reference }),
    ...(metadata !== undefined && { metadata: Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null }),
  };
}

export function toShortNotes({ holder_email: email, holder_name: name, reference }: ShortNotesRow): ShortNotes {
  return { holder: email === null && name === null ? null : { email, name }, reference };
}

function toNotes(row: NotesRow): LicenseNotes {
  return { ...toShortNotes(row), metadata: row.metadata === null ? {} : JSON.parse(row.metadata) };
}

/** The notes of a license, if there is one with this key. */
export async function notesOf(knex: Knex, key: LicenseKey): Promise<LicenseNotes | undefined> {
  const row: NotesRow | undefined = await knex('licenses')
    .where({ key })
    .first(...shortNotesColumns, 'metadata');
  return row && toNotes(row);
}

type Kind = keyof typeof noteTexts;
const kinds = Object.keys(noteTexts) as Kind[];

const textsAtOnce = 2_000;

/** Stores the texts by which a search finds new licenses. */
export async function addNoteTexts(
  trx: Knex.Transaction,
  licenses: readonly { readonly key: LicenseKey; readonly notes?: LicenseNotes }[],
): Promise<void> {
  const rows = licenses.flatMap(({ key, notes }) => (notes ? textRows(key, notes, kinds) : []));
  for (let from = 0; from < rows.length; from += textsAtOnce) {
    await insertTexts(trx, 'key', rows.slice(from, from + textsAtOnce));
  }
}

/** Changes notes of a locked license, and the texts by which a search finds it. */
export async function changeNotes(trx: Knex.Transaction, id: number, notes: Partial<LicenseNotes>): Promise<void> {
  const row = notesRow(notes);
  if (Object.keys(row).length === 0) return;
  await trx('licenses').where({ id }).update(row);
  const changed = kinds.filter((kind) => notes[kind] !== undefined);
  if (changed.length === 0) return;
  await trx('license_texts').where({ license_id: id }).whereIn('kind', changed).delete();
  await insertTexts(trx, 'id', textRows(id, { ...noNotes, ...notes }, changed));
}

type TextRow<Name> = readonly [name: Name, kind: Kind, text: string];

function textRows<Name>(name: Name, notes: LicenseNotes, some: readonly Kind[]): TextRow<Name>[] {
  return some.flatMap((kind) =>
    [...new Set(noteTexts[kind](notes))].map((text): TextRow<Name> => [name, kind, wellFormed(text)]),
  );
}

/** Inserts texts in one statement. `by`: how the rows name their license. */
async function insertTexts(
  trx: Knex.Transaction,
  by: 'id' | 'key',
  rows: readonly TextRow<number | string>[],
): Promise<void> {
  if (rows.length === 0) return;
  const cell = (n: number) => (isPostgres(trx) ? `(r.value ->> ${n})` : `json_extract(r.value, '$[${n}]')`);
  const name = by === 'id' ? `CAST(${cell(0)} AS integer)` : cell(0);
  await trx.raw(
    `INSERT INTO license_texts (license_id, kind, text, owner_id, is_live)
     SELECT l.id, ${cell(1)}, ${cell(2)}, l.owner_id, l.is_live
     FROM ${isPostgres(trx) ? 'json_array_elements(?::json) AS r (value)' : 'json_each(?) AS r'}
     JOIN licenses AS l ON l.${by} = ${name}`,
    [JSON.stringify(rows)],
  );
}
