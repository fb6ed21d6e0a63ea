import { z } from 'zod';
import type { LicenseNotes } from '../../../../../core/licensing/license-notes.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import type { LicensePatch } from '../../../../../core/selling/changing.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form, TextField } from '../../../ui/form.tsx';
import { texts } from '../../../ui/texts.ts';
import { goTo } from '../../answer.ts';
import { form } from '../../form.ts';
import { orFail } from '../../or-fail.ts';
import type { DashboardTools } from '../../tools.ts';
import { sellerIn } from '../selling-page.tsx';
import { LicensePage } from './license-frame.tsx';
import { addressOf, type LicenseTools, licenseIn } from './license-tools.ts';
import { writeMetadata } from './metadata-lines.ts';
import { NoteFields, noteFields, notesOf, ReasonField, reason, valuesOf } from './note-fields.tsx';

const { sellingLicenses: words } = texts;

/** Changes the number of domains, and the seller's notes. */
export function editPages(tools: DashboardTools, selling: LicenseTools): Endpoint[] {
  return form(tools, {
    id: 'selling-license-edit',
    path: '/selling/:mode/licenses/:key/edit',
    audience: 'user',
    fields: z.object({ ...noteFields, reason }),
    async initial(visit) {
      const { license, notes } = await licenseIn(selling, visit);
      return { max_domains: String(license.maxDomains), ...valuesOf(notes) };
    },
    async render(visit, state) {
      const found = await licenseIn(selling, visit);
      return (
        <LicensePage visit={visit} of={found} title={words.edit.title}>
          <Form state={state} submit={words.edit.submit} cancel={`${visit.frame.root}${addressOf(found)}`}>
            <TextField
              state={state}
              name="max_domains"
              label={words.fields.maxDomains}
              hint={words.edit.maxDomainsHint(found.license.domainsUsed)}
              inputmode="numeric"
            />
            <NoteFields state={state} />
            <ReasonField state={state} />
          </Form>
        </LicensePage>
      );
    },
    async act(visit, { max_domains: maxDomains, reason, ...typed }) {
      const found = await licenseIn(selling, visit);
      const patch = { maxDomains, ...differing(found, notesOf(typed)) } satisfies LicensePatch;
      const changed = orFail(await selling.licenses.change(found.license.key, patch, sellerIn(visit, reason)));
      return isRefused(changed) ? changed : goTo(addressOf(changed), { notice: 'license_changed' });
    },
    refusals: { domains_in_use: { field: 'max_domains', text: words.edit.inUse } },
  });
}

/** The notes that differ, so that the history names only these. */
function differing({ notes: before }: ShownLicense, after: LicenseNotes): Partial<LicenseNotes> {
  const { holder, reference, metadata } = after;
  const isSameHolder = holder?.email === before.holder?.email && holder?.name === before.holder?.name;
  return {
    ...(!isSameHolder && { holder }),
    ...(reference !== before.reference && { reference }),
    ...(writeMetadata(metadata) !== writeMetadata(before.metadata) && { metadata }),
  };
}
