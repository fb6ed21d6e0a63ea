import type { VNode } from 'preact';
import { PartHead } from '../../ui/part-head.tsx';
import { words } from './import-words.ts';

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
export function SheetFormat({ slug = 'simple-dex' }: { readonly slug?: string | undefined }): VNode {
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
