import { sendText } from '../../../send-text.ts';
import type { Endpoint } from '../../../surface.ts';
import { admit } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn } from '../selling-page.tsx';
import type { LicenseTools } from './license-tools.ts';
import { listChoices, wishIn } from './list-query.ts';

/** The licenses of one's own products as a CSV file, by the filters of the list. */
export function licenseExport(tools: DashboardTools, { sheets }: LicenseTools): Endpoint {
  return {
    id: 'selling-licenses-export',
    method: 'get',
    paths: ['/selling/:mode/licenses/export'],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const { product, status, expiresBefore } = wishIn(visit, listChoices(visit));
      const filter = { product, status, expiresBefore, ownerId: visit.me.login.id };
      await sendText(ctx, sheets.export(filter, sellerIn(visit)), { mediaType: 'text/csv', filename: 'licenses.csv' });
    },
  };
}
