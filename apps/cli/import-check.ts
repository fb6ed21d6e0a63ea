import type { Imported } from './import-licenses.ts';
import { day, printTable, say } from './output.ts';

type Check = NonNullable<Imported['check']>;

/** Prints what an import would do with each line. */
export function printCheck(check: Check): void {
  const { licenses, faults, passed_over: passedOver } = check;
  const [added, wrong, passed] = [
    licenses.length + check.more_licenses,
    faults.length + check.more_faults,
    passedOver.length + check.more_passed_over,
  ];
  if (licenses.length > 0) {
    printTable(
      ['LINE', 'PRODUCT', 'STATUS', 'DOMAINS', 'EXPIRES'],
      licenses.map(({ line, product, status, max_domains, expires_at, domains }) => [
        ...[String(line), product, status, `${domains}/${max_domains}`],
        expires_at === null ? 'never' : day(expires_at),
      ]),
    );
    more(check.more_licenses);
    say();
  }
  for (const { line, message } of passedOver) say(`Line ${line} is passed over: ${message}`);
  more(check.more_passed_over);
  for (const { line, message } of faults) say(`Line ${line} has a fault: ${message}`);
  more(check.more_faults);
  say(`Nothing was changed. Licenses: ${added}, faults: ${wrong}, passed over: ${passed}.`);
  say(wrong === 0 ? 'An import adds these licenses.' : 'An import adds nothing, until the faults are corrected.');
}

function more(count: number): void {
  if (count > 0) say(`And ${count} more.`);
}
