import { z } from 'zod';
import { fileRoute, type Route } from '../../route.ts';
import { sendText } from '../../send-text.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import { sellerOf } from '../seller.ts';
import { narrowed } from './fields.ts';
import { csv } from './import.ts';
import { tag } from './tag.ts';

export function exportLicenses({ export: exportSheet }: Pick<SheetTools, 'export'>): Route {
  return fileRoute({
    id: 'export-licenses',
    tag,
    summary: 'Returns licenses as a CSV file, in the order of their issue',
    description:
      'With the columns of the import. Counts of verifications, moves and domains that are being moved away are not in it. A text that a spreadsheet would run as a formula begins with an apostrophe, which the import removes. If the connection closes before the end of the response, the file is not complete.',
    method: 'get',
    paths: ['/api/licenses/export'],
    scope: 'licenses:read',
    query: z.object(narrowed),
    answer: z.string(),
    answerFile: { ...csv, description: 'The licenses.' },
    refusals: [],
    async send(ctx, { caller, query: { product, status, expires_before: expiresBefore } }) {
      const file = exportSheet({ product, status, expiresBefore }, sellerOf(caller));
      await sendText(ctx, file, { mediaType: csv.mediaType, filename: 'licenses.csv' });
    },
  });
}
