import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Caller } from '../../../../core/accounts/accounts.ts';
import type { KeyedRequest } from '../../../../core/events/event.ts';
import { exportForms, systemsWithExports } from '../../../../core/licensing/alias.ts';
import type { Clock } from '../../../../core/ports/clock.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import { foreignExportOf, longestProductMap, longestProductName } from '../../../../core/selling/foreign-export.ts';
import { importAnswer } from '../../../contracts/idempotency-store.ts';
import type { ReadImportProgress } from '../../../contracts/import-progress.ts';
import { busy, Failure, sentToAccount } from '../../failures.ts';
import { text } from '../../fields.ts';
import { abandonedAfter, keptFor, longestKey, storedKey } from '../../idempotency.ts';
import { check } from '../../input.ts';
import { type AccountTools, accountRoute, fileRoute, type Route } from '../../route.ts';
import { sendText } from '../../send-file.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import { sellerOf } from '../seller.ts';
import { narrowed } from './fields.ts';
import { reading, writing } from './license.ts';
import { answer, checkAnswer } from './sheet-answer.ts';

const csv = {
  mediaType: 'text/csv',
  example: [
    'key,product,max_domains,expires_at,status,holder_email,metadata,domains',
    'LIC-7H2K-9QWX-M4TB-C0VJ,simple-dex,3,2027-01-31,active,grace@example.com,"{""plan"":""gold""}",app.example.com@2026-01-31T10:00:00Z',
    '',
  ].join('\r\n'),
};

/** A file with the answers of another system's API. */
const json = {
  mediaType: 'application/json',
  example: { data: [{ type: 'license-keys', id: '1', attributes: { key: '80e15db5-c796-436b-850c-8f9c98a48abe' } }] },
};

/** The file in a form, with the texts that are too long for an address. */
const fileField = 'file';
const formWithMap = {
  mediaType: 'multipart/form-data',
  schema: {
    type: 'object',
    properties: {
      map: {
        type: 'string',
        maxLength: longestProductMap,
        description: 'As in the address, which has less room.',
        examples: ['Simple DEX=simple-dex'],
      },
      [fileField]: { type: 'string', format: 'binary', description: 'The file, as it is sent without a form.' },
    },
    required: [fileField],
  },
  example: { map: 'Simple DEX=simple-dex', [fileField]: 'licenses.csv' },
};

/** The name of the call. Its stored answers are found by this name, so it never changes. */
const importing = 'import-licenses';

/** If the same request comes again while the first one runs, it waits for this many milliseconds. Many proxies give up after a minute. */
const longestWait = 50_000;

const map = z.string().max(longestProductMap).optional();

// A form has two characters for each line break.
const formTexts = {
  body: z.strictObject({
    map: z.preprocess((text) => (typeof text === 'string' ? text.replaceAll('\r\n', '\n') : text), map),
  }),
};
type FormTexts = z.output<(typeof formTexts)['body']>;

const importQuery = z.object({
  from: z.enum(systemsWithExports).optional().meta({
    description: 'The system whose export the file is. Without it, the file has our columns.',
    example: 'edd',
  }),
  product: text(longestProductName)
    .optional()
    .meta({ description: 'With `from`: the id or slug of the product of all its licenses.', example: 'simple-dex' }),
  their_product: text(longestProductName).optional().meta({
    description: 'With `from` and `product`: imports only the lines of this product of theirs, as the export names it.',
    example: 'Simple DEX',
  }),
  map: map.meta({
    description:
      'With `from`, instead of `product`: which product here each of their products is. On each line their product as the export names it, `=`, and the id or slug of the product here. Of EDD, Freemius, Gumroad and Keygen also their product, `/` and the price id, plan, variants or policy. Lines of other products are passed over.',
    example: 'Simple DEX=simple-dex',
  }),
  dry_run: z.enum(['true', 'false']).optional().meta({
    description:
      'With `true`, nothing is imported: the answer says in `check` what an import would do. With `from` alone it names the products in the file.',
    example: 'true',
  }),
});

const states = ['checking', 'adding', 'done', 'unknown'] as const;

const progressAnswer = z.object({
  success: z.literal(true),
  state: z.enum(states).meta({
    description:
      'While it is `checking`, nothing is imported yet. When it is `done`, the same request gets the answer of the import. `unknown`: look at your licenses.',
    example: 'adding',
  }),
  lines: z.int().meta({ description: 'The lines that were checked so far.', example: 150_000 }),
  imported: z.int().meta({ description: 'The licenses that were added so far.', example: 42_000 }),
  left_out: z.int().meta({ description: 'The lines that were left out so far. Normally 0.', example: 0 }),
  passed_over: z
    .int()
    .meta({ description: 'The lines that were no licenses to import. 0 while it is `checking`.', example: 0 }),
});

/** Tells how far an import is, also after the connection of its request was lost. */
export type ShowImport = (caller: Caller, key: string) => Promise<z.output<typeof progressAnswer> | undefined>;

/** Licenses as files: import, how far it is, and export. */
export function sheetRoutes(tools: AccountTools, sheets: SheetTools): Route[] {
  const { idempotency } = tools;
  const { receiver, imports, recover, show, export: exportSheet } = sheets;
  return [
    fileRoute({
      id: importing,
      ...writing,
      summary: 'Imports licenses from a file: all of them, or nothing',
      description:
        'The first line names the columns, in any order; only `product` is required. `max_domains` is 1, `expires_at` and `updates_until` are `never` and `status` is `active` by default. `entitlements` are codes with blanks between them. A line without a `key` gets a new one, which the export shows. A `key` of another system, or one in `alias` with its `alias_kind`, leads to the license too. `domains` are activated already: domains with blanks between them, each with `@` and the time of its activation, or without. One import runs at a time. Once the file has arrived, the import no longer depends on the connection. With `from`, the file is an export of another system: CSV, or for Lemon Squeezy, Freemius and Keygen the answers of their API as `application/json`. Its licenses become those of `product`, or of several with `map`. With `dry_run=true` nothing is changed, and the answer says what would happen. Send an `Idempotency-Key` if lines have no key, so that a repeated request does not import them twice.',
      method: 'post',
      paths: ['/api/licenses/import'],
      isIdempotent: true,
      query: importQuery,
      file: {
        ...csv,
        description:
          'Text in UTF-8: CSV with commas between the cells, or with `from` of a system whose API is read, its answers one after the other.',
        otherwise: [json, formWithMap],
      },
      answer,
      refusals: [],
      async send(ctx, { caller, query: { from, product, their_product: theirProduct, map: addressMap, dry_run } }) {
        const askedFor = (map: string | undefined) => {
          const asked = { from, product, theirProduct, map };
          const foreign = foreignExportOf({ ...asked, isCheck: dry_run === 'true' });
          if (isRefused(foreign)) throw new Failure(sentToAccount(foreign).reason);
          return { asked, foreign };
        };
        const isForm = ctx.request.is('multipart/form-data') !== false;
        if (!isForm) askedFor(addressMap); // So that it is refused before the file is read.
        const mediaType = from !== undefined && exportForms[from] === 'json' ? json.mediaType : csv.mediaType;
        const file = await receiver.body(ctx, mediaType, fileField, caller.user.id);
        try {
          const { map = addressMap } = check<undefined, undefined, FormTexts>(formTexts, {
            query: {},
            body: file.fields,
          }).body;
          const { asked, foreign } = askedFor(map);
          if (dry_run === 'true') {
            const found = await imports.checkOwn(createReadStream(file.path), sellerOf(caller), { foreign });
            if (isRefused(found)) throw busy(found);
            ctx.body = checkAnswer(found);
            return;
          }
          const work = async (request?: KeyedRequest) => {
            const result = await imports.importOwn(createReadStream(file.path), sellerOf({ ...caller, request }), {
              foreign,
            });
            // Thrown, and not returned: nothing was done, so the same request may be sent again.
            if (isRefused(result)) throw busy(result);
            if ('first' in result) {
              const { first: faults, others } = result;
              throw new Failure('validation_error', {
                detail: 'Nothing was imported: the file has faults.',
                faults,
                figures: { more_faults: others },
              });
            }
            return importAnswer({ ...result, leftOut: result.leftOut.length }) satisfies z.output<typeof answer>;
          };
          // The file of an interrupted import is not needed to finish it, but to start again after it was undone.
          const waiting = { most: longestWait, recover };
          ctx.body = await idempotency(ctx, caller, importing, { file: file.sha256, ...asked }, work, waiting);
        } finally {
          await file.discard();
        }
      },
    }),
    accountRoute(tools, {
      id: 'get-import',
      ...writing,
      summary: 'Tells how far an import of licenses is',
      description:
        'For an import that was sent with an `Idempotency-Key` in the last 24 hours. 404 if nothing was imported with this key: the file has not arrived yet, or had faults, or the server was stopped before it had checked the file. Then send the file again.',
      method: 'get',
      paths: ['/api/licenses/import'],
      query: z.object({
        idempotency_key: text(longestKey).meta({
          description: 'The `Idempotency-Key` of the import.',
          example: 'licenses-2026-11',
        }),
      }),
      answer: progressAnswer,
      refusals: ['not_found'],
      async handle({ caller, query }) {
        const found = await show(caller, query.idempotency_key);
        return (
          found ?? refuse('not_found', 'No import with this Idempotency-Key runs or has ended in the last 24 hours.')
        );
      },
    }),
    fileRoute({
      id: 'export-licenses',
      ...reading,
      summary: 'Returns licenses as a CSV file, in the order of their issue',
      description:
        'With the columns of the import, without aliases: only digests of them are stored. Counts of verifications, moves and domains that are being moved away are not in it. A text that a spreadsheet would run as a formula begins with an apostrophe, which the import removes. If the connection closes before the end of the response, the file is not complete.',
      method: 'get',
      paths: ['/api/licenses/export'],
      query: z.object(narrowed),
      answer: z.string(),
      answerFile: { ...csv, description: 'The licenses.' },
      refusals: [],
      async send(ctx, { caller, query: { product, status, expires_before: expiresBefore } }) {
        const file = exportSheet({ product, status, expiresBefore }, sellerOf(caller));
        await sendText(ctx, file, { mediaType: csv.mediaType, filename: 'licenses.csv' });
      },
    }),
  ];
}

export function createShowImport(progress: ReadImportProgress, clock: Clock): ShowImport {
  return async (caller, key) => {
    const now = clock.now();
    const times = { forgetBefore: now - keptFor, abandonedBefore: now - abandonedAfter };
    const found = await progress(storedKey(caller, importing, key), times);
    if (found === undefined) return undefined;
    if (found.state !== 'ended') {
      const { state, lines, added: imported, leftOut: left_out, passedOver: passed_over } = found;
      return { success: true, state, lines, imported, left_out, passed_over };
    }
    if (found.answer.kind === 'unknown') {
      return { success: true, state: 'unknown', lines: 0, imported: 0, left_out: 0, passed_over: 0 };
    }
    const { imported, left_out, passed_over }: ReturnType<typeof importAnswer> = JSON.parse(found.answer.body);
    return { success: true, state: 'done', lines: imported + left_out, imported, left_out, passed_over };
  };
}
