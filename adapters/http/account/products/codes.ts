import { z } from 'zod';
import { isCodeHash, isContractCode, mostCodeDigits } from '../../../../core/deployments/contract-code.ts';
import { iso } from '../../../../core/iso.ts';
import { versionLimits } from '../../../../core/marketplace/product-version.ts';
import { mostReleaseCodes, type ReleaseCode } from '../../../../core/ports/release-codes.ts';
import type { SellerReleaseCodes } from '../../../../core/selling/release-codes.ts';
import { pageAnswer, pageOf, pageQuery } from '../../cursor.ts';
import { present, text, timestamp, trimmed } from '../../fields.ts';
import { type AccountTools, accountRoute, type Route, rendered } from '../../route.ts';
import { sellerOf } from '../seller.ts';
import { params, reading, writing } from './product.ts';

const exampleHash = `0x${'c5'.repeat(32)}`;

const codeItem = z
  .object({
    id: z.int().meta({ example: 31 }),
    version: z.string().meta({ example: '1.2.0' }),
    contract: z.string().meta({ description: 'The name of the contract.', example: 'Dex' }),
    code_hash: z.string().meta({
      description: 'Keccak-256 of the code that runs, without the metadata of the compiler at its end.',
      example: exampleHash,
    }),
    created_at: timestamp,
  })
  .meta({ id: 'AccountReleaseCode' });
const oneCode = z.object({ success: z.literal(true), code: codeItem });

const newCode = z
  .strictObject({
    version: text(versionLimits.number).meta({ description: 'The number of a version.', example: '1.2.0' }),
    contract: trimmed(100).meta({ description: 'The name of the contract.', example: 'Dex' }),
    runtime_code: present
      .max(mostCodeDigits, 'It is longer than the code of any contract.')
      .refine(isContractCode, 'It must be 0x and hexadecimal digits, two for each byte. Link its libraries first.')
      .nullish()
      .meta({
        description:
          'The code that runs, as compilers call it: `deployedBytecode`. Not the code that creates the contract.',
        example: '0x6080604052600080fdfea164736f6c6343000819000a',
      }),
    code_hash: present
      .refine(isCodeHash, 'It must be 0x and 64 hexadecimal digits.')
      .nullish()
      .meta({ description: 'Instead of the code: its Keccak-256 without metadata.', example: null }),
  })
  .refine(({ runtime_code: code, code_hash: hash }) => (code == null) !== (hash == null), {
    path: ['runtime_code'],
    error: 'Give either runtime_code or code_hash.',
  });

/** The codes of contracts in the versions of a product. */
export function codeRoutes(tools: AccountTools, codes: SellerReleaseCodes): Route[] {
  return [
    accountRoute(tools, {
      id: 'list-release-codes',
      ...reading,
      summary: 'Lists the codes of contracts in the versions of a product, newest first',
      method: 'get',
      paths: ['/api/products/:id/codes'],
      params,
      query: z.object(pageQuery),
      answer: pageOf(codeItem),
      refusals: ['not_found'],
      handle: ({ caller, params, query: { cursor: after, limit } }) =>
        rendered(codes.list(params.id, { after, limit }, sellerOf(caller)), ({ items, next }) =>
          pageAnswer(items.map(renderCode), next),
        ),
    }),
    accountRoute(tools, {
      id: 'add-release-code',
      ...writing,
      summary: 'Registers the code of a contract in a version of a product',
      description: `Reported deployments of the template of the product are compared with its codes; those with other code are a \`mismatch\`. Deployments that matched no code before, and have this one, are confirmed. Registering the same code again changes nothing. For proxies, register the implementation. A product can have ${mostReleaseCodes} codes.`,
      method: 'post',
      paths: ['/api/products/:id/codes'],
      isIdempotent: true,
      hasLargeBody: true,
      params,
      body: newCode,
      answer: oneCode,
      refusals: ['not_found', 'conflict'],
      handle: ({ caller, params, body: { version, contract, runtime_code: bytes, code_hash: hash } }) =>
        rendered(
          codes.add(
            params.id,
            { version, contract, code: bytes == null ? { hash: hash ?? '' } : { bytes } },
            sellerOf(caller),
          ),
          (code) => ({ success: true as const, code: renderCode(code) }),
        ),
    }),
    accountRoute(tools, {
      id: 'delete-release-code',
      ...writing,
      summary: 'Deletes the code of a contract',
      description: 'Later deployments no longer match it. What was confirmed stays confirmed.',
      method: 'delete',
      paths: ['/api/products/:id/codes/:code'],
      params: params.extend({ code: text(20).meta({ description: 'The id of the code.', example: '31' }) }),
      answer: z.object({ success: z.literal(true) }),
      refusals: ['not_found'],
      handle: async ({ caller, params }) =>
        (await codes.remove(params.id, params.code, sellerOf(caller))) ?? { success: true as const },
    }),
  ];
}

function renderCode({ id, version, contract, hash, createdAt }: ReleaseCode): z.output<typeof codeItem> {
  return { id, version, contract, code_hash: hash, created_at: iso(createdAt) };
}
