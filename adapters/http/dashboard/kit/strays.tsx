import type { VNode } from 'preact';
import type { Stray } from '../../../../core/licensing/strays.ts';
import type { StrayDay } from '../../../../core/ports/stray-store.ts';
import type { StrayingLicense, StrayReport } from '../../../../core/selling/strays.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { Plot } from '../../ui/plot.tsx';
import { Time } from '../../ui/time.tsx';

const words = {
  title: 'Foreign domains',
  ofLicense:
    'Domains that ask with the key of this license, but on which it is not activated. Their calls are refused. If the key has leaked, replace it.',
  ofProduct: 'Licenses whose keys are used on domains on which they are not activated. These calls are refused.',
  rotate: 'Replace license key',
  domain: 'Domain',
  license: 'License',
  domains: 'Domains',
  calls: 'Refused calls',
  unit: 'per day',
  first: 'First call',
  last: 'Last call',
};

const domainColumns: readonly Column<Stray>[] = [
  { title: words.domain, cell: ({ domain }) => <span class="breakable">{domain}</span> },
  { title: words.calls, isNumber: true, cell: ({ calls }) => readableNumber(calls) },
  { title: words.first, cell: ({ firstAt }) => <Time at={firstAt} /> },
  { title: words.last, cell: ({ lastAt }) => <Time at={lastAt} /> },
];

/** The foreign domains that ask for a license. Nothing if there are none. `rotate`: the address of the page that replaces the key. */
export function LicenseStrays({
  root,
  report: { strays, days },
  rotate,
}: {
  readonly root: string;
  readonly report: StrayReport;
  readonly rotate: string | undefined;
}): VNode | null {
  if (strays.length === 0 && !wasAsked(days)) return null;
  return (
    <section id="strays">
      <PartHead title={words.title} lead={words.ofLicense}>
        {rotate !== undefined && <ButtonLink href={rotate} text={words.rotate} look="small" />}
      </PartHead>
      {strays.length > 0 && <List label={words.title} columns={domainColumns} rows={strays} />}
      <StrayPlot root={root} days={days} />
    </section>
  );
}

/** The licenses of a product that foreign domains ask for. Nothing if there are none. */
export function ProductStrays({
  root,
  report: { licenses, days },
  addressOf,
}: {
  readonly root: string;
  readonly report: { readonly licenses: readonly StrayingLicense[]; readonly days: readonly StrayDay[] };
  addressOf(key: string): string;
}): VNode | null {
  if (licenses.length === 0) return null;
  const columns: readonly Column<StrayingLicense>[] = [
    {
      title: words.license,
      cell: ({ key }) => (
        <a href={`${addressOf(key)}#strays`} class="key">
          {key}
        </a>
      ),
    },
    { title: words.domains, isNumber: true, cell: ({ domains }) => readableNumber(domains) },
    { title: words.calls, isNumber: true, cell: ({ calls }) => readableNumber(calls) },
  ];
  return (
    <section id="strays">
      <PartHead title={words.title} lead={words.ofProduct} />
      <List label={words.title} columns={columns} rows={licenses} />
      <StrayPlot root={root} days={days} />
    </section>
  );
}

function StrayPlot({ root, days }: { readonly root: string; readonly days: readonly StrayDay[] }): VNode {
  const points = days.map(({ day, calls }) => ({ at: day, value: calls }));
  return (
    <Plot
      root={root}
      title={words.calls}
      unit={words.unit}
      step="day"
      series={[{ label: words.calls, as: 'bars', points }]}
      isTableFolded={true}
    />
  );
}

function wasAsked(days: readonly StrayDay[]): boolean {
  return days.some(({ calls }) => calls > 0);
}
