import type { Endpoint } from '../../../surface.ts';
import type { DashboardTools } from '../../tools.ts';
import { actPages } from './acts.tsx';
import { allLicensesPage } from './all-licenses.tsx';
import { bulkPages } from './bulk.tsx';
import { domainPages } from './domain-pages.tsx';
import { editPages } from './edit.tsx';
import { licenseExport } from './export.ts';
import { importPages } from './import.tsx';
import { issuePages } from './issue.tsx';
import { licenseListPage } from './license-list.tsx';
import { licensePage } from './license-page.tsx';
import type { LicenseTools } from './license-tools.ts';
import { renewPages } from './renew.tsx';

/** The pages about licenses, for sellers and administrators. If two paths match a request, the first one answers it. */
export function licensePages(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  return [
    allLicensesPage(tools, selling),
    licenseListPage(tools, selling),
    ...issuePages(tools, selling),
    ...bulkPages(tools, selling),
    licenseExport(tools, selling),
    ...importPages(tools, selling),
    licensePage(tools, selling),
    ...editPages(tools, selling),
    ...renewPages(tools, selling),
    ...actPages(tools, selling),
    ...domainPages(tools, selling),
  ];
}
