import { createReadStream } from 'node:fs';
import type { VNode } from 'preact';
import { z } from 'zod';
import { readableBytes } from '../../../../../core/marketplace/storage-quota.ts';
import { isRefused, refuse } from '../../../../../core/refusal.ts';
import type { Faulty } from '../../../../../core/selling/sheet-import.ts';
import type { ReceivedFile } from '../../../receive-file.ts';
import type { SheetTools } from '../../../sheet-tools.ts';
import type { Endpoint } from '../../../surface.ts';
import { FileField, Form, HiddenField, type Options } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { goTo, shown } from '../../answer.ts';
import { formId } from '../../fields.ts';
import { form, type Received } from '../../form.ts';
import { newFormId } from '../../once.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { LineFaults, SheetFormat } from './import-parts.tsx';
import { donePath, importedPage } from './imported.tsx';
import type { LicenseTools } from './license-tools.ts';
import { NoProducts } from './no-products.tsx';
import { offeredProducts } from './product-choice.ts';

const { sellingImport: words, sellingLicenses } = texts;
const field = 'file';

/** The form that imports a file of licenses. Sending the same form again imports nothing more. */
export function importPages(tools: DashboardTools, { products, sheets, once }: LicenseTools): Endpoint[] {
  const most = sheets.receiver.most;
  const render = async (visit: SignedInVisit, state: FormState, faulty?: Faulty) => (
    <ImportPage
      visit={visit}
      state={state}
      most={most}
      products={await offeredProducts(products, visit)}
      {...{ faulty }}
    />
  );
  const pages = form(tools, {
    id: 'selling-licenses-import',
    path: '/selling/:mode/licenses/import',
    audience: 'user',
    fields: z.object({ once: formId }),
    receive: (visit) => receive(sheets, visit),
    render: (visit, state) => render(visit, state),
    async act(visit, { once: id }, files) {
      const file = files[field];
      if (file === undefined) throw new Error('A form without its file passed the checks.');
      const done = await once(`${visit.me.login.id}:import`, id, async () => {
        const result = await sheets.imports.importOwn(createReadStream(file.path), sellerIn(visit));
        // Refused, so that the same form can be sent again with a better file.
        return 'first' in result ? { ...refuse('faulty'), faulty: result } : result;
      });
      if (done === 'already_sent') return goTo(sellingPath(visit, 'licenses'), { notice: words.sentBefore });
      if (!('faulty' in done)) return isRefused(done) ? done : goTo(donePath(visit, done));
      const { first, others } = done.faulty;
      const message = words.faulty(first.length + others);
      const state = { values: {}, faults: {}, message, asksPassword: false };
      return shown(await render(visit, state, done.faulty), { status: 422 });
    },
    refusals: {
      import_running: { text: words.otherRuns },
      file_being_imported: { text: words.ownRuns },
      files_being_imported: { text: words.otherRuns },
      payload_too_large: { field, text: words.tooLarge(readableBytes(most)) },
    },
  });
  return [...pages, importedPage(tools)];
}

/** Keeps the file on the disk until its import has ended. */
async function receive({ receiver }: SheetTools, visit: SignedInVisit) {
  const received = await receiver.form(visit.ctx, field, visit.me.login.id);
  if (isRefused(received)) return received;
  const form: Received<ReceivedFile> =
    'path' in received
      ? { fields: received.fields, files: { [field]: received }, faults: {}, discard: received.discard }
      : { fields: received.fields, files: {}, faults: { [field]: [words.noFile] }, discard: async () => undefined };
  return form;
}

function ImportPage({
  visit,
  state,
  most,
  products,
  faulty,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly most: number;
  readonly products: Options | undefined;
  readonly faulty: Faulty | undefined;
}): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  const limit = readableBytes(most);
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      above={[{ href: list, title: sellingLicenses.title }]}
      title={words.title}
      scripts={['upload.js']}
    >
      {products?.length === 0 ? (
        <NoProducts visit={visit} />
      ) : (
        <>
          <p class="intro">{words.lead}</p>
          <Form state={state} submit={words.submit} cancel={list} hasFiles arrived={words.arrived}>
            <HiddenField name="once" value={newFormId()} />
            <FileField
              state={state}
              name={field}
              label={words.file}
              hint={words.fileHint(limit)}
              accept=".csv,text/csv"
              mustChange={faulty !== undefined}
              limit={{ bytes: most, text: words.tooLarge(limit) }}
            />
          </Form>
          {faulty && <LineFaults faulty={faulty} />}
          <SheetFormat slug={products?.[0]?.[0]} />
        </>
      )}
    </SellingPage>
  );
}
