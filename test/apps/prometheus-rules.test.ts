import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { exposedMetrics, metricsIn } from '../support/exposed-metrics.ts';
import { needing, requiredService } from '../support/required-service.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const promtool = requiredService('TEST_PROMTOOL', 'promtool, such as /usr/bin/promtool');
const path = fileURLToPath(new URL('../../apps/deploy/prometheus/rules.yml', import.meta.url));
const tests = new URL('prometheus/rules.test.yml', import.meta.url);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
}

describe('prometheus/rules.yml', () => {
  let rules: readonly Rule[];
  before(async () => {
    rules = parse(await readFile(path, 'utf8')).groups.flatMap((group: { rules: readonly Rule[] }) => group.rules);
  });

  it('uses only metrics that exist', async () => {
    const { series } = await exposedMetrics();
    expect(rules).to.not.deep.equal([]);
    for (const { alert, expr } of rules) expect([...series, 'up'], alert).to.include.members([...metricsIn(expr)]);
  });

  it('has two tests for each alert: it fires, and it does not fire', async () => {
    const [quiet, troubled] = parse(await readFile(tests, 'utf8')).tests;
    const names = rules.map(({ alert }) => alert);
    const ofQuiet = quiet.alert_rule_test.map(({ alertname }: { alertname: string }) => alertname);
    expect(ofQuiet).to.have.members(names);
    const fired = troubled.promql_expr_test[0].exp_samples.map(({ labels }: { labels: string }) => labels);
    expect(fired).to.have.members(names.map((name) => `{alertname="${name}"}`));
  });

  it('has the alerts, thresholds and times of the guide, and no others', async () => {
    const guide = await readFile(new URL('../../apps/docs/operating.md', import.meta.url), 'utf8');
    const rows = Array.from(guide.matchAll(/^\| `(Latchkey\w+)` \| (.*) \| (\d+) (s|min) \|$/gm));
    expect(rows.map(([, alert]) => alert)).to.have.members(rules.map(({ alert }) => alert));
    for (const { alert, expr, for: time } of rules) {
      const [, , words = '', count, unit] = rows.find(([, name]) => name === alert) ?? [];
      expect(`${count}${unit === 'min' ? 'm' : unit}`, alert).to.equal(time);
      for (const metric of metricsIn(expr)) expect(words, alert).to.include(metric);
      const numbers = Array.from(expr.matchAll(/[=><] ([\d.]+)/g), ([, number]) => Number(number).toLocaleString('en'));
      expect(numbers, alert).to.not.deep.equal([]);
      for (const number of numbers) expect(words.split(/[ :;]+/), alert).to.include(number);
    }
  });

  needing(promtool.skip).it('passes the check and the tests of promtool', async () => {
    const folder = await makeTemporaryFolder();
    try {
      const file = folder.file('rules.test.yml');
      await writeFile(file, (await readFile(tests, 'utf8')).replace('RULES', JSON.stringify(path)));
      await run(promtool.url ?? '', ['check', 'rules', path]);
      await run(promtool.url ?? '', ['test', 'rules', file]);
    } finally {
      await folder.remove();
    }
  });
});
