import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { accountEnvelope, type Envelope, licenseEnvelope, verifyEnvelope } from '../../adapters/http/envelopes.ts';
import { Failure, type FailureReason, failures } from '../../adapters/http/failures.ts';
import { embed } from '../../apps/embed.ts';
import { itLong } from '../support/required-service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const reasons = Object.keys(failures) as FailureReason[];

/** Each code with its statuses, such as `404` or `200 422`. */
type Codes = Readonly<Record<string, string>>;

interface Api {
  readonly guide: string;
  /** Whether a path of the OpenAPI document belongs to this API. */
  owns(path: string): boolean;
  readonly envelopes: readonly Envelope[];
}

const isAccountPath = (path: string) => /^\/api\/(?!license\/)/.test(path);
const apis: readonly Api[] = [
  { guide: 'account-api', owns: isAccountPath, envelopes: [accountEnvelope] },
  { guide: 'license-api', owns: (path) => !isAccountPath(path), envelopes: [licenseEnvelope, verifyEnvelope] },
];

function collect(pairs: Iterable<readonly [code: string, status: number]>): Codes {
  const found = new Map<string, Set<number>>();
  for (const [code, status] of pairs) found.set(code, (found.get(code) ?? new Set()).add(status));
  return Object.fromEntries(Array.from(found, ([code, statuses]) => [code, [...statuses].sort().join(' ')]));
}

function codeIn(body: { readonly error?: string | { readonly code: string } }): string | undefined {
  return typeof body.error === 'object' ? body.error.code : body.error;
}

/** Every code that an API could return, with its statuses, according to the table of failures. */
function possible({ envelopes }: Api): Codes {
  return collect(
    envelopes.flatMap((envelope) =>
      reasons.map((reason) => [codeIn(envelope.bodyOf(new Failure(reason))) ?? '', envelope.statusOf(reason)] as const),
    ),
  );
}

interface Response {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json': { readonly examples?: Record<string, { value: object }> } };
}

interface Document {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Response> }>>;
  readonly components: { readonly responses: Record<string, Response> };
}

/** The refusals of an API in the OpenAPI document. It has an example of each. */
function documented({ paths, components }: Document, { owns }: Api): Codes {
  const responses = Object.entries(paths)
    .filter(([path]) => owns(path))
    .flatMap(([, operations]) => Object.values(operations).flatMap(({ responses }) => Object.entries(responses)));
  return collect(
    responses.flatMap(([status, { $ref, ...own }]) => {
      const response = $ref ? components.responses[$ref.replace(/.*\//, '')] : own;
      const examples = Object.values(response?.content?.['application/json']?.examples ?? {});
      return examples.flatMap(({ value }) => {
        const code = codeIn(value);
        return code === undefined ? [] : [[code, Number(status)] as const];
      });
    }),
  );
}

/**
 * The codes and statuses in the table of refusals of a guide. A row has one status for all of its codes, or one status
 * for each code, separated by commas. A status after a semicolon applies to all codes of the row, too.
 */
function written(markdown: string): Codes {
  const tables = markdown.matchAll(/(\|.*\|)\n\|[-|]+\|\n((?:\|.*\|\n)+)/g);
  const [, , rows] = [...tables].find(([, head]) => head?.includes('| Status |')) ?? [];
  if (rows === undefined) throw new Error('The guide has no table of refusals.');
  return collect(
    rows.split('\n').flatMap((row) => {
      const cells = row.split('|').map((cell) => cell.trim());
      const statuses = cells.find((cell) => /^\d{3}\b/.test(cell)) ?? '';
      const codes = Array.from(
        cells.find((cell) => cell.startsWith('`'))?.matchAll(/`(\w+)`/g) ?? [],
        ([, code = '']) => code,
      );
      return statuses.split(';').flatMap((part) => {
        const numbers = Array.from(part.matchAll(/\d{3}/g), ([number]) => Number(number));
        expect([1, codes.length], `statuses of ${codes}`).to.include(numbers.length);
        return codes.map((code, index) => [code, numbers[index] ?? numbers[0] ?? Number.NaN] as const);
      });
    }),
  );
}

describe('the tables of refusals in the guides', () => {
  let document: Document;
  const tables = new Map<Api, Codes>();
  before(async () => {
    await using service = await embed();
    document = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
    for (const api of apis) tables.set(api, written(await readFile(`${root}apps/docs/${api.guide}.md`, 'utf8')));
  });

  for (const api of apis) {
    itLong(`${api.guide}: contains every refusal of the OpenAPI document, with the same statuses`, () => {
      expect(tables.get(api)).to.include(documented(document, api));
    });

    it(`${api.guide}: contains only codes and statuses of the table of failures`, () => {
      const known = possible(api);
      for (const [code, statuses] of Object.entries(tables.get(api) ?? {})) {
        expect(known[code]?.split(' '), code).to.include.members(statuses.split(' '));
      }
    });
  }

  it('contain each failure in at least one guide', () => {
    const missing = reasons.filter((reason) =>
      apis.every((api) =>
        api.envelopes.every((envelope) => {
          const code = codeIn(envelope.bodyOf(new Failure(reason))) ?? '';
          return !tables.get(api)?.[code]?.includes(String(envelope.statusOf(reason)));
        }),
      ),
    );
    expect(missing).to.deep.equal([]);
  });
});
