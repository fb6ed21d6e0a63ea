import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { moduleOf, type Source } from './architecture/module.ts';
import { planted } from './architecture/planted.ts';
import { breachesOf, type RuleName, rules } from './architecture/rules.ts';

function readSources(): Source[] {
  const root = fileURLToPath(new URL('..', import.meta.url));
  return ['core', 'adapters', 'apps'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      // Examples are programs of others: each has its own packages.
      .filter((path) => !/^apps\/(?:(?:sdk|cli)\/(?:dist|node_modules)|docs\/examples)\//.test(path))
      .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') })),
  );
}

describe('architecture', () => {
  const house = readSources().map(moduleOf);

  it('is checked on all sources of core, adapters and apps, with their real imports', () => {
    expect(house.map(({ path }) => path)).to.include.members([
      'core/licensing/domain-name.ts',
      'adapters/node/clock.ts',
      'apps/wiring/config.ts',
    ]);
    const licensing = house.find(({ path }) => path === 'core/licensing/licensing.ts');
    expect(licensing?.imports).to.include.members(['../ports/clock.ts', './license.ts', './license-key.ts']);
    const names = house.flatMap(({ imports }) => imports);
    expect(names, 'nothing imports inversify').to.include('inversify');
  });

  for (const rule of Object.keys(rules) as RuleName[]) {
    it(rule, () => {
      const found = breachesOf(rule, house);
      expect(found, `\n  ${found.join('\n  ')}\n`).to.deep.equal([]);
    });
  }
});

describe('the architecture test', () => {
  for (const rule of Object.keys(planted) as RuleName[]) {
    const { breaches, sound } = planted[rule];

    it(`finds each of ${breaches.length} planted breaches of “${rule}”`, () => {
      const missed = breaches
        .map((breach) => [breach].flat().map(moduleOf))
        .filter(
          (house) => breachesOf(rule, house).filter((found) => found.startsWith(`${house[0]?.path}:`)).length !== 1,
        );
      expect(missed.map((house) => house.map(({ text }) => text))).to.deep.equal([]);
    });

    it(`finds no breach of “${rule}” in ${sound.length} correct files`, () => {
      expect(breachesOf(rule, sound.map(moduleOf))).to.deep.equal([]);
    });
  }

  it('reports the file and the text that breaks the rule', () => {
    const house = [moduleOf({ path: 'core/a.ts', text: `import zod from 'zod';` })];
    expect(breachesOf('core imports only core', house)).to.deep.equal(['core/a.ts: zod']);
  });
});
