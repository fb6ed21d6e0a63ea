import { isSame } from '../same.ts';

/**
 * Whether clients of Lemon Squeezy may use the licenses of a product, and the ids of the product there, which they compare. If an
 * id is `null`, answers have none. The ids stay when it is switched off.
 */
export interface LemonSqueezyAdapter {
  readonly isOn: boolean;
  readonly storeId: number | null;
  readonly productId: number | null;
  readonly variantId: number | null;
}

/**
 * Whether clients of EDD Software Licensing may use the licenses of a product, and how they name it: by its id there or by its
 * name. If one is `null`, no client that sends it is let in.
 */
export interface EddAdapter {
  readonly isOn: boolean;
  readonly itemId: number | null;
  readonly itemName: string | null;
}

/** The other systems whose clients can go on working with the licenses of a product. */
export interface ProductAdapters {
  readonly lemonsqueezy: LemonSqueezyAdapter;
  readonly edd: EddAdapter;
}

/** The adapters of a product for which nobody has switched one on. */
export const noAdapters: ProductAdapters = {
  lemonsqueezy: { isOn: false, storeId: null, productId: null, variantId: null },
  edd: { isOn: false, itemId: null, itemName: null },
};

/** The other systems, in the order in which pages show them. */
export const foreignSystems = ['lemonsqueezy', 'edd'] as const satisfies readonly (keyof ProductAdapters)[];

/**
 * Whether a change lets clients in, or changes the ids that they compare. The ids are what software knows its licenses by: a
 * seller who enters those of another store could issue keys that its software takes for its own.
 */
export function letsIn(before: ProductAdapters, after: ProductAdapters): boolean {
  return foreignSystems.some((system) => after[system].isOn && !isSame(before[system], after[system]));
}

/** The most characters of a product's name in another system. */
export const longestForeignName = 200;

/** The largest id of another system. Every client reads it exactly. */
export const largestForeignId = 999_999_999_999_999;
