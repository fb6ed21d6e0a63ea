import { foldedName } from '../../marketplace/product-adapters.ts';
import type { LicenseUses } from '../../ports/license-uses.ts';
import { isRefused, type Refused, refuse } from '../../refusal.ts';
import type { Inactive } from '../license.ts';
import { createForeignLicenses, type ForeignLicense, type ForeignPorts } from './foreign-license.ts';

/** What a client of Gumroad asks. */
interface AskedUse {
  readonly licenseKey: string;
  /** The id of its product there. Decides, if the client sends it. Empty if not. */
  readonly productId: string;
  /** The last part of the product's address there. Case does not count. */
  readonly permalink: string;
  /** Whether to count a use. */
  readonly isUse: boolean;
}

/** A license, with how often it was used. `refused`: why it is not valid. */
export interface UseAnswer {
  readonly license: ForeignLicense;
  readonly uses?: number;
  readonly refused?: Refused<Inactive>;
}

/**
 * The license API as clients of Gumroad know it: a license has no domains, and each verification is a use of it. A license is
 * unknown if its product does not let these clients in, or if the client belongs to another product.
 */
export interface Uses {
  /** A use of a valid license counts as a verification. The first call for a license starts its days, if an activation would. */
  verify(asked: AskedUse): Promise<UseAnswer | Refused<'invalid_key'>>;
}

export function createUses({ uses, ...ports }: ForeignPorts & { readonly uses: LicenseUses }): Uses {
  const { clock } = ports;
  const { asking, start } = createForeignLicenses('gumroad', ports, ports.products.findAdapted);
  return {
    verify: ({ licenseKey, isUse, ...client }) =>
      asking<Omit<UseAnswer, 'license'>>(licenseKey, async (asked, before) => {
        if (!isOf(before, client)) return refuse('invalid_key');
        const license = await start(asked, before);
        if (isRefused(license)) return license;
        if (license.status !== 'active') return { refused: refuse(license.status) };
        if (!isUse) return { uses: license.otherVerifications };
        const counted = await uses.count(asked.key, clock.now());
        return counted === undefined ? refuse('invalid_key') : { uses: counted };
      }),
  };
}

/** Whether a client belongs to the product of a license. What the product has not set never matches. */
function isOf(
  { product }: Pick<ForeignLicense, 'product'>,
  client: Pick<AskedUse, 'productId' | 'permalink'>,
): boolean {
  const { productId, permalink } = product.adapters.gumroad;
  if (client.productId !== '') return client.productId === productId;
  return permalink !== null && foldedName(client.permalink) === foldedName(permalink);
}
