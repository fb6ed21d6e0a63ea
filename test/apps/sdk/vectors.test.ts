import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { normalizeDomain } from '../../../core/licensing/domain-name.ts';
import { chromium, openBrowser } from '../../support/browser.ts';
import { needing } from '../../support/required-service.ts';
import { builtSdk } from './built-sdk.ts';
import { openShop } from './shop.ts';

interface Vector {
  readonly group: string;
  readonly input: string;
  readonly domain: string | null;
}

const { cases }: { readonly cases: readonly Vector[] } = JSON.parse(
  await readFile(new URL('../../../apps/sdk/vectors/domains.json', import.meta.url), 'utf8'),
);

/** Returns the cases that a function reads in another way. */
function misread(read: (input: string) => string | undefined): object[] {
  return cases
    .map(({ input, domain }) => ({ input, domain, found: read(input) ?? null }))
    .filter(({ domain, found }) => domain !== found);
}

/** As `normalizeDomain` promises: each domain is spelled as the platform spells the host of an address. */
function byPlatform(domain: string): string {
  return new URL(`http://${domain}`).hostname;
}

describe('the vectors of domains', () => {
  it('are at least 300 different texts, in groups that are completely accepted or refused', () => {
    expect(new Set(cases.map(({ input }) => input)).size)
      .to.equal(cases.length)
      .and.at.least(300);
    const wrong = cases.filter(({ group, domain }) => group.startsWith('refused') !== (domain === null));
    expect(wrong).to.deep.equal([]);
    const groups = new Set(cases.map(({ group }) => group));
    expect(groups).to.include.all.keys(
      ...['international names', 'dots', 'IPv6', 'user info', 'ports', 'schemes', 'refused patterns'],
    );
  });

  it('are read as they say by the server', () => {
    expect(misread(normalizeDomain)).to.deep.equal([]);
  });

  it('are read as they say by the SDK', async () => {
    const { normalizeDomain: published } = await builtSdk();
    expect(misread(published)).to.deep.equal([]);
  });

  it('are spelled as the URL of this platform spells them', () => {
    const wrong = cases.filter(({ domain }) => domain !== null && byPlatform(domain) !== domain);
    expect(wrong).to.deep.equal([]);
  });
});

needing(chromium.skip).describe('the vectors of domains in Chromium', () => {
  it('are read as they say by the SDK, and spelled as the URL of Chromium spells them', async () => {
    await using shop = await openShop();
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(shop.url);
      const found = await page.evaluate(`(async () => {
        const { normalizeDomain } = await import('/sdk/index.js');
        return ${JSON.stringify(cases)}
          .map(({ input, domain }) => ({ input, domain, found: normalizeDomain(input) ?? null }))
          .map((one) => ({ ...one, host: one.domain && new URL('http://' + one.domain).hostname }))
          .filter(({ domain, found, host }) => domain !== found || domain !== host);
      })()`);
      expect(found).to.deep.equal([]);
    } finally {
      await browser.close();
    }
  });
});
