import { createReadStream } from 'node:fs';
import type { VNode } from 'preact';
import { z } from 'zod';
import { readableBytes } from '../../../../core/marketplace/storage-quota.ts';
import type { Finished } from '../../../../core/ports/license-imports.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { Faulty } from '../../../../core/selling/sheet-import.ts';
import { Failure } from '../../failures.ts';
import type { ReceivedFile } from '../../receive-file.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { Form, HiddenField, type Options } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { formId } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import { type DashboardTools, page, type SignedInVisit } from '../kit/page.ts';
import { offeredProducts, SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { Received } from '../kit/uploads.ts';
import { words } from './import-words.ts';
import { NoProducts } from './issue.tsx';
import type { LicenseTools } from './subject.tsx';

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
      const done = await once(`${visit.me.login.id}:import`, id, async (request) => {
        const result = await sheets.imports.importOwn(createReadStream(file.path), sellerIn(visit, '', request));
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
    <SellingPage visit={visit} at="licenses" isBelow title={words.title} scripts={['upload.js']}>
      {products?.length === 0 ? (
        <NoProducts visit={visit} />
      ) : (
        <>
          <p class="intro">{words.lead}</p>
          <Form state={state} submit={words.submit} cancel={list} hasFiles arrived={words.arrived}>
            <HiddenField name="once" value={newFormId()} />
            <FileField
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

/** The page about a finished import, from the site's first page. Its address holds the numbers, so it can be loaded again. */
function donePath(visit: SignedInVisit, { added, leftOut }: Finished): string {
  return `${sellingPath(visit, 'licenses')}/imported?${new URLSearchParams({ added: String(added), left_out: String(leftOut.length) })}`;
}

/** Says how many licenses were imported. */
function importedPage(tools: DashboardTools): Endpoint {
  return page(tools, {
    id: 'selling-licenses-imported',
    path: '/selling/:mode/licenses/imported',
    audience: 'user',
    async show(visit) {
      const [added, leftOut] = [countIn(visit, 'added'), countIn(visit, 'left_out')];
      const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
      return shown(
        <SellingPage visit={visit} at="licenses" isBelow title={words.done.title(added)}>
          <p class="lead">{words.done.lead}</p>
          {leftOut > 0 && <p class="note">{words.done.leftOut(leftOut)}</p>}
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

/** Why a file was not imported: its first faults, and the number of the others. */
function LineFaults({ faulty: { first, others } }: { readonly faulty: Faulty }): VNode {
  // A line can have several faults.
  const rows = first.map((fault, at) => ({ ...fault, at }));
  return (
    <section class="line-faults">
      <h2>{words.faults}</h2>
      {others > 0 && <p class="lead">{words.others(others)}</p>}
      <List
        label={words.faults}
        rows={rows}
        columns={[
          { title: words.line, isNumber: true, cell: ({ line }) => readableNumber(line) },
          {
            title: words.fault,
            cell: ({ message }) => (
              <span class="line-fault" dir="auto">
                {message}
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}

/** Returns an example of the file, with this product. */
const exampleOf = (product: string) =>
  [
    'key,product,max_domains,holder_email,reference,domains',
    `LIC-7H2K-9QWX-M4TB-C0VJ,${product},3,grace@example.com,1001,shop.example.com@2025-06-30T10:00:00Z`,
    `,${product},1,linus@example.com,1002,`,
  ].join('\n');

/** A file with all columns. Its lines have no keys, because a key can be used only once. */
const templateOf = (product: string) =>
  [
    'key,alias,alias_kind,product,max_domains,expires_at,days_from_activation,updates_until,entitlements,status,holder_email,holder_name,reference,metadata,domains',
    `,,,${product},3,2030-01-31,,2029-01-31,pro team,active,grace@example.com,Grace Hopper,1001,"{""plan"":""gold""}",shop.example.com@2025-06-30T10:00:00Z www.example.com`,
    `,,,${product},1,never,365,never,,active,linus@example.com,Linus,1002,,`,
    '',
  ].join('\r\n');

/** Explains the columns of the file, with an example and a template. */
function SheetFormat({ slug = 'simple-dex' }: { readonly slug?: string | undefined }): VNode {
  return (
    <section class="panel sheet-format">
      <PartHead title={words.format} lead={words.formatLead} isFirst>
        {/* The text is in the link itself, so that it is a download without another request. */}
        <a
          class="button"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(templateOf(slug))}`}
          download={words.templateName}
        >
          {words.template}
        </a>
      </PartHead>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard */}
      <section class="scroll" aria-label={words.example} tabIndex={0}>
        <pre>
          <code>{exampleOf(slug)}</code>
        </pre>
      </section>
      <dl class="sheet-columns">
        {Object.entries(words.columns).map(([name, [content, ifEmpty]]) => (
          <div key={name}>
            <dt>
              <code>{name}</code> {name === 'product' && <span class="tag good">{words.required}</span>}
            </dt>
            <dd>
              {content}
              {ifEmpty !== undefined && <span class="faint"> {ifEmpty}.</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
