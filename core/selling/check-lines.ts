import { dayOf } from '../day-text.ts';
import { lineNameOf, lineTitle } from './foreign-export.ts';
import type { Checked } from './sheet-report.ts';

/** What a check prints: a table of the licenses, and then these lines. */
interface Report {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly string[];
}

/** Returns what an import would do with each line. `from`: the system whose export the file is. */
export function reportOf({ licenses, faults, passedOver, unmapped }: Checked, from?: string): Report {
  const name = lineNameOf(from);
  const lineOf = (line: number) => lineTitle(name, line);
  const [added, wrong, passed] = [licenses, faults, passedOver].map(({ first, others }) => first.length + others);
  const more = (count: number) => (count > 0 ? [`And ${count} more.`] : []);
  return {
    head: [name.toUpperCase(), 'PRODUCT', 'STATUS', 'DOMAINS', 'EXPIRES'],
    rows: licenses.first.map(({ line, product, status, maxDomains, expiresAt, domains }) => [
      ...[String(line), product, status, `${domains}/${maxDomains}`],
      expiresAt === null ? 'never' : dayOf(expiresAt),
    ]),
    lines: [
      ...more(licenses.others),
      ...passedOver.first.map(({ line, message }) => `${lineOf(line)} is passed over: ${message}`),
      ...more(passedOver.others),
      ...unmapped.first.map(
        ({ theirProduct, lines }) => `No --map for ${JSON.stringify(theirProduct)}: ${lines} passed over.`,
      ),
      ...(unmapped.others > 0 ? [`No --map for further products: ${unmapped.others} passed over.`] : []),
      ...faults.first.map(({ line, message }) => `${lineOf(line)} has a fault: ${message}`),
      ...more(faults.others),
      `Nothing was changed. Licenses: ${added}, faults: ${wrong}, passed over: ${passed}.`,
      wrong === 0 ? 'An import adds these licenses.' : 'An import adds nothing, until the faults are corrected.',
    ],
  };
}
