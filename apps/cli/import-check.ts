import type { ExportingSystem } from '../../core/licensing/alias.ts';
import { lineNameOf } from '../../core/selling/foreign-export.ts';
import type { Imported } from './import-licenses.ts';
import { day, printTable, say } from './output.ts';

type Check = NonNullable<Imported['check']>;

/** Prints what an import would do with each line. `from`: the system whose export the file is. */
export function printCheck(check: Check, from?: ExportingSystem): void {
  const name = lineNameOf(from);
  const lineOf = (line: number) => `${name === 'line' ? 'Line' : 'License'} ${line}`;
  const { licenses, faults, passed_over: passedOver } = check;
  const [added, wrong, passed] = [
    licenses.length + check.more_licenses,
    faults.length + check.more_faults,
    passedOver.length + check.more_passed_over,
  ];
  if (licenses.length > 0) {
    printTable(
      [name.toUpperCase(), 'PRODUCT', 'STATUS', 'DOMAINS', 'EXPIRES'],
      licenses.map(({ line, product, status, max_domains, expires_at, domains }) => [
        ...[String(line), product, status, `${domains}/${max_domains}`],
        expires_at === null ? 'never' : day(expires_at),
      ]),
    );
    more(check.more_licenses);
    say();
  }
  for (const { line, message } of passedOver) say(`${lineOf(line)} is passed over: ${message}`);
  more(check.more_passed_over);
  for (const { line, message } of faults) say(`${lineOf(line)} has a fault: ${message}`);
  more(check.more_faults);
  say(`Nothing was changed. Licenses: ${added}, faults: ${wrong}, passed over: ${passed}.`);
  say(wrong === 0 ? 'An import adds these licenses.' : 'An import adds nothing, until the faults are corrected.');
}

function more(count: number): void {
  if (count > 0) say(`And ${count} more.`);
}
