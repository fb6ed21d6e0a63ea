import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import { Failure } from '../../failures.ts';
import { type AccountTools, fileRoute, type Route } from '../../route.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import { sellerOf } from '../seller.ts';
import { tag } from './tag.ts';

export const csv = {
  mediaType: 'text/csv',
  example: [
    'key,product,max_domains,expires_at,status,holder_email,metadata,domains',
    'LIC-7H2K-9QWX-M4TB-C0VJ,simple-dex,3,2027-01-31,active,grace@example.com,"{""plan"":""gold""}",app.example.com@2026-01-31T10:00:00Z',
    '',
  ].join('\r\n'),
};

const answer = z.object({
  success: z.literal(true),
  imported: z.int().meta({ example: 1 }),
  left_out: z.int().meta({
    description:
      'Lines that were left out because their key or product was changed during the import; their reasons are in the audit trail. Normally 0.',
    example: 0,
  }),
});

export function importLicenses({ idempotency }: AccountTools, { receiver, imports }: SheetTools): Route {
  return fileRoute({
    id: 'import-licenses',
    tag,
    summary: 'Imports licenses from a CSV file: the whole file, or nothing',
    description:
      'The first line names the columns, in any order; only `product` is required. `max_domains` is 1, `expires_at` is `never` and `status` is `active` by default. A line without a `key` gets a new one, which the export shows. `domains` are activated already: domains with blanks between them, each with `@` and the time of its activation, or without. One import runs at a time. Once the file has arrived, the import no longer depends on the connection. Send an `Idempotency-Key` if lines have no key, so that a repeated request does not import them twice.',
    method: 'post',
    paths: ['/api/licenses/import'],
    scope: 'licenses:write',
    isIdempotent: true,
    file: { ...csv, description: 'Text in UTF-8 with commas between the cells.' },
    answer,
    refusals: [],
    async send(ctx, { caller }) {
      const file = await receiver.body(ctx, csv.mediaType, caller.user.id);
      try {
        ctx.body = await idempotency(ctx, caller, 'import-licenses', { file: file.sha256 }, async () => {
          const result = await imports.importOwn(createReadStream(file.path), sellerOf(caller));
          // Thrown, and not returned: nothing was done, so the same request may be sent again.
          if (isRefused(result)) throw new Failure('conflict', { detail: result.detail });
          if ('first' in result) {
            const { first: faults, others } = result;
            throw new Failure('validation_error', {
              detail: 'Nothing was imported: the file has faults.',
              faults,
              figures: { more_faults: others },
            });
          }
          const done: z.output<typeof answer> = {
            success: true,
            imported: result.added,
            left_out: result.leftOut.length,
          };
          return done;
        });
      } finally {
        await file.discard();
      }
    },
  });
}
