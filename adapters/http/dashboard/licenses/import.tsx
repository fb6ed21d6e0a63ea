import { createReadStream } from 'node:fs';
import type { VNode } from 'preact';
import { z } from 'zod';
import { systemsWithExports } from '../../../../core/licensing/alias.ts';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { Finished } from '../../../../core/ports/license-imports.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import {
  foreignExportOf,
  lineNameOf,
  longestProductMap,
  longestProductName,
} from '../../../../core/selling/foreign-export.ts';
import type { Checked, Faulty } from '../../../../core/selling/sheet-report.ts';
import { Failure } from '../../failures.ts';
import type { ReceivedFile } from '../../receive-file.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { AreaField, Form, HiddenField, type Options, SelectField, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { goTo, shown } from '../kit/answer.ts';
import { formId } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import { type DashboardTools, page, type SignedInVisit } from '../kit/page.ts';
import { offeredProducts, SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Received } from '../kit/uploads.ts';
import { SheetFormat } from './import-format.tsx';
import { LineFaults, Plan } from './import-report.tsx';
import { words } from './import-words.ts';
import { NoProducts } from './issue.tsx';
import type { LicenseTools } from './subject.tsx';

const field = 'file';

/** The form that imports a file of licenses. Sending the same form again imports nothing more. */
export function importPages(tools: DashboardTools, { products, sheets, once }: LicenseTools): Endpoint[] {
  const most = sheets.receiver.most;
  const render = async (visit: SignedInVisit, state: FormState, found?: Faulty | Checked) => (
    <ImportPage
      visit={visit}
      state={state}
      most={most}
      products={await offeredProducts(products, visit)}
      {...{ found }}
    />
  );
  const pages = form(tools, {
    id: 'selling-licenses-import',
    path: '/selling/:mode/licenses/import',
    audience: 'user',
    fields: z.object({
      once: formId,
      from: z.enum(['', ...systemsWithExports]).default(''),
      product: z.string().trim().max(longestProductName).default(''),
      their_product: z.string().trim().max(longestProductName).default(''),
      map: z.string().max(longestProductMap).default(''),
      check: z.string().optional(),
    }),
    receive: (visit) => receive(sheets, visit),
    render: (visit, state) => render(visit, state),
    async act(visit, { once: id, check, ...given }, files) {
      const file = files[field];
      if (file === undefined) throw new Error('A form without its file passed the checks.');
      const isCheck = check !== undefined;
      const foreign = foreignExportOf({ ...given, theirProduct: given.their_product, map: given.map.trim(), isCheck });
      if (isRefused(foreign)) return foreign;
      const values = given;
      if (isCheck) {
        const found = await sheets.imports.checkOwn(createReadStream(file.path), sellerIn(visit), { foreign });
        if (isRefused(found)) return found;
        return shown(await render(visit, { values, faults: {}, message: undefined, asksPassword: false }, found));
      }
      const done = await once(`${visit.me.login.id}:import`, id, async (request) => {
        const result = await sheets.imports.importOwn(createReadStream(file.path), sellerIn(visit, '', request), {
          foreign,
        });
        // Refused, so that the same form can be sent again with a better file.
        return 'first' in result ? { ...refuse('faulty'), faulty: result } : result;
      });
      if (done === 'already_sent') return goTo(sellingPath(visit, 'licenses'), { notice: words.sentBefore });
      if (!('faulty' in done)) return isRefused(done) ? done : goTo(donePath(visit, done));
      const { first, others } = done.faulty;
      const message = words.faulty(first.length + others);
      const state = { values, faults: {}, message, asksPassword: false };
      return shown(await render(visit, state, done.faulty), { status: 422 });
    },
    refusals: {
      export_needs_product: { field: 'product', text: words.noProduct },
      product_needs_system: { field: 'product', text: words.productWithoutSystem },
      their_product_needs_system: { field: 'their_product', text: words.theirProductWithoutSystem },
      their_product_needs_product: { field: 'product', text: words.noProduct },
      map_needs_system: { field: 'map', text: words.theirProductWithoutSystem },
      product_and_map: { field: 'map', text: words.productAndMap },
      invalid_map: { field: 'map', text: words.wrongMap },
      checks_running: { text: words.checksRun },
      import_running: { text: words.otherRuns },
      file_being_imported: { text: words.ownRuns },
      files_being_imported: { text: words.otherRuns },
      payload_too_large: { field, text: words.tooLarge(readableBytes(most)) },
    },
  });
  return [...pages, importedPage(tools)];
}

const systems: Options = [
  ['', words.ownForm],
  ...systemsWithExports.map((system) => [system, words.systems[system]] as const),
];

function hasFaults(found: Faulty | Checked): boolean {
  return found.kind === 'faulty' || found.faults.first.length > 0;
}

/** What an export of another system needs. */
function ForeignFields({ products }: { readonly products: Options | undefined }): VNode {
  const product = { name: 'product', label: words.product, hint: words.productHint };
  return (
    <>
      {products === undefined ? (
        <TextField {...product} />
      ) : (
        <SelectField {...product} options={[['', words.chooseProduct], ...products]} />
      )}
      <TextField name="their_product" label={words.theirProduct} hint={words.theirProductHint} />
      <AreaField name="map" label={words.map} hint={words.mapHint} rows={3} isCode />
    </>
  );
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
  found,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly most: number;
  readonly products: Options | undefined;
  readonly found: Faulty | Checked | undefined;
}): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  const limit = readableBytes(most);
  const line = words.lines[lineNameOf(String(state.values.from))];
  return (
    <SellingPage visit={visit} at="licenses" isBelow title={words.title} scripts={['upload.js']}>
      {products?.length === 0 ? (
        <NoProducts visit={visit} />
      ) : (
        <>
          <p class="intro">{words.lead}</p>
          <Form
            state={state}
            submit={words.submit}
            cancel={list}
            hasFiles
            arrived={words.arrived}
            others={
              <button type="submit" class="button" name="check" value="yes" data-arrived={words.checking}>
                {words.checkOnly}
              </button>
            }
          >
            <HiddenField name="once" value={newFormId()} />
            <SelectField name="from" label={words.from} hint={words.fromHint} options={systems} />
            <ForeignFields products={products} />
            <FileField
              name={field}
              label={words.file}
              hint={words.fileHint(limit)}
              accept=".csv,text/csv,.json,application/json"
              mustChange={found !== undefined && hasFaults(found)}
              limit={{ bytes: most, text: words.tooLarge(limit) }}
            />
          </Form>
          {found?.kind === 'faulty' && <LineFaults title={words.faults} line={line} {...found} />}
          {found?.kind === 'checked' && <Plan checked={found} line={line} />}
          <SheetFormat slug={products?.[0]?.[0]} />
        </>
      )}
    </SellingPage>
  );
}

/** The page about a finished import, from the site's first page. Its address holds the numbers, so it can be loaded again. */
function donePath(visit: SignedInVisit, { added, leftOut, passedOver }: Finished): string {
  const numbers = { added, left_out: leftOut.length, passed_over: passedOver };
  const query = new URLSearchParams(Object.entries(numbers).map(([name, count]) => [name, String(count)]));
  return `${sellingPath(visit, 'licenses')}/imported?${query}`;
}

/** Says how many licenses were imported. */
function importedPage(tools: DashboardTools): Endpoint {
  return page(tools, {
    id: 'selling-licenses-imported',
    path: '/selling/:mode/licenses/imported',
    audience: 'user',
    async show(visit) {
      const [added, leftOut] = [countIn(visit, 'added'), countIn(visit, 'left_out')];
      // Addresses of older versions do not have it.
      const passedOver = visit.query.passed_over === undefined ? 0 : countIn(visit, 'passed_over');
      const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
      return shown(
        <SellingPage visit={visit} at="licenses" isBelow title={words.done.title(added)}>
          <p class="lead">{words.done.lead}</p>
          {leftOut > 0 && <p class="note">{words.done.leftOut(leftOut)}</p>}
          {passedOver > 0 && <p class="note">{words.done.passedOver(passedOver)}</p>}
          <p class="choices">
            <ButtonLink href={list} text={words.done.toList} look="primary" />
            <ButtonLink href={`${list}/import`} text={words.done.more} />
          </p>
        </SellingPage>,
      );
    },
  });
}

/** A number in the address. Throws `not_found` if it is none. */
function countIn({ query }: SignedInVisit, name: string): number {
  const text = query[name] ?? '';
  if (!/^\d{1,9}$/.test(text)) throw new Failure('not_found');
  return Number(text);
}
