import type { UserId } from '../id.ts';
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

/** What a plugin or theme for WordPress says of itself. Each is a version such as `6.5`, or `null` if nothing is said. */
export interface PluginFacts {
  /** The oldest WordPress with which it works. */
  readonly requires: string | null;
  /** The newest WordPress with which it was tried. */
  readonly tested: string | null;
  /** The oldest PHP with which it works. */
  readonly requiresPhp: string | null;
}

const noPluginFacts: PluginFacts = { requires: null, tested: null, requiresPhp: null };

/** Whether a text is a version of WordPress or PHP, such as `6.5` or `8.1.2`. */
export function isPlatformVersion(text: string): boolean {
  return /^\d{1,4}(?:\.\d{1,4}){0,2}$/.test(text);
}

/**
 * Whether clients of EDD Software Licensing may use the licenses of a product, and how they name it: by its id there or by its
 * name. If one is `null`, no client that sends it is let in.
 */
export interface EddAdapter {
  readonly isOn: boolean;
  readonly itemId: number | null;
  readonly itemName: string | null;
  /** What sites are told of all its versions. It says nothing about who is let in. */
  readonly plugin: PluginFacts;
}

/**
 * Whether clients of Gumroad may use the licenses of a product, and how they name it: by its id there or by the last part of its
 * address there. If one is `null`, no client that sends it is let in.
 */
export interface GumroadAdapter {
  readonly isOn: boolean;
  readonly productId: string | null;
  readonly permalink: string | null;
}

/**
 * Whether clients of Software License Manager may use the licenses of a product, and how they name it: by the secret key that all
 * clients of their store send, and by a reference to the product. Without a secret key, no client is let in. Without a reference, any is.
 */
export interface SlmAdapter {
  readonly isOn: boolean;
  readonly secretKey: string | null;
  readonly itemReference: string | null;
}

/** The other systems whose clients can go on working with the licenses of a product. */
export interface ProductAdapters {
  readonly lemonsqueezy: LemonSqueezyAdapter;
  readonly edd: EddAdapter;
  readonly gumroad: GumroadAdapter;
  readonly slm: SlmAdapter;
}

/** The adapters of a product for which nobody has switched one on. */
export const noAdapters: ProductAdapters = {
  lemonsqueezy: { isOn: false, storeId: null, productId: null, variantId: null },
  edd: { isOn: false, itemId: null, itemName: null, plugin: noPluginFacts },
  gumroad: { isOn: false, productId: null, permalink: null },
  slm: { isOn: false, secretKey: null, itemReference: null },
};

/** The other systems, in the order in which pages show them. */
export const systemsWithClients = Object.keys(noAdapters) as readonly (keyof ProductAdapters)[];

/**
 * Whether a change lets clients in, or changes the ids that they compare. The ids are what software knows its licenses by: a
 * seller who enters those of another store could issue keys that its software takes for its own.
 */
export function letsIn(before: ProductAdapters, after: ProductAdapters): boolean {
  const [old, wanted] = [withoutFacts(before), withoutFacts(after)];
  return systemsWithClients.some((system) => wanted[system].isOn && !isSame(old[system], wanted[system]));
}

function withoutFacts(adapters: ProductAdapters): ProductAdapters {
  return { ...adapters, edd: { ...adapters.edd, plugin: noPluginFacts } };
}

/** Whose clients are let in, and who sells it. */
interface Adapted {
  readonly ownerId: UserId | null;
  readonly isLive: boolean;
  readonly adapters: ProductAdapters;
}

/** Whether clients of each system would take the keys of one product for those of the other. */
const clashes = {
  // Its ids belong to one seller. The variants of one product may be several products here.
  lemonsqueezy: ({ lemonsqueezy: one }, { lemonsqueezy: other }, haveOneSeller) =>
    haveOneSeller
      ? isOneId(one.productId, other.productId) && one.variantId === other.variantId
      : isOneId(one.storeId, other.storeId) ||
        isOneId(one.productId, other.productId) ||
        isOneId(one.variantId, other.variantId),
  edd: ({ edd: one }, { edd: other }) => isOneId(one.itemId, other.itemId) || isOneName(one.itemName, other.itemName),
  gumroad: ({ gumroad: one }, { gumroad: other }) =>
    isOneId(one.productId, other.productId) || isOneName(one.permalink, other.permalink),
  // A store has one secret key for all of its products.
  slm: ({ slm: one }, { slm: other }, haveOneSeller) =>
    isOneId(one.secretKey, other.secretKey) &&
    (!haveOneSeller ||
      one.itemReference === null ||
      other.itemReference === null ||
      isOneName(one.itemReference, other.itemReference)),
} as const satisfies Record<
  keyof ProductAdapters,
  (one: ProductAdapters, other: ProductAdapters, haveOneSeller: boolean) => boolean
>;

function isOneId<Id>(one: Id | null, other: Id | null): boolean {
  return one !== null && one === other;
}

/** Returns the name of a product in another system as it is compared. */
export function foldedName(name: string): string {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

function isOneName(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && foldedName(one) === foldedName(other);
}

/**
 * Whether clients of a system are let in at both products and cannot tell their keys apart. A product and the test product of
 * one seller may have the same ids.
 */
export function isMistakable(system: keyof ProductAdapters, one: Adapted, other: Adapted): boolean {
  const haveOneSeller = one.ownerId === other.ownerId;
  if (haveOneSeller && one.isLive !== other.isLive) return false;
  if (!one.adapters[system].isOn || !other.adapters[system].isOn) return false;
  return clashes[system](one.adapters, other.adapters, haveOneSeller);
}

/** The most characters of a product's name in another system. */
export const longestForeignName = 200;

/** The largest id of another system. Every client reads it exactly. */
export const largestForeignId = 999_999_999_999_999;
