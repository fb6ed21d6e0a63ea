import {
  type EddAdapter,
  type GumroadAdapter,
  type LemonSqueezyAdapter,
  type ProductAdapters,
  type SlmAdapter,
  systemsWithClients,
} from '../../core/marketplace/product-adapters.ts';

/** A system whose clients can be let in. */
export type System = keyof ProductAdapters;

/** The kind of value: an id of digits, any text, or a version of WordPress or PHP. */
export type SettingKind = 'id' | 'name' | 'version';
/** The value of a setting. `null` if it is not set. */
export type SettingValue = string | number | null;

/** One setting of the clients of another system, for the API and for the page. */
export interface ClientSetting {
  /** Its name in the API. */
  readonly name: string;
  /** Its name in the form. */
  readonly input: string;
  readonly kind: SettingKind;
  readonly description: string;
  readonly example: string | number;
  readonly label: string;
  readonly hint?: string;
}

interface SettingOf<Adapter> extends ClientSetting {
  read(adapter: Adapter): SettingValue;
}

/** The settings for clients of one system, with their texts for API and page. */
interface ClientSystem<Adapter> {
  readonly name: string;
  /** A short name for buttons and titles. */
  readonly shortName?: string;
  /** The description in the API: which calls these clients make. */
  readonly calls: string;
  /** The first paragraph of the page. */
  readonly lead: string;
  /** In the order of the form. */
  readonly settings: readonly SettingOf<Adapter>[];
  make(isOn: boolean, values: SettingValues): Adapter;
}

/** The values of settings by their names in the API. */
export interface SettingValues {
  id(name: string): number | null;
  text(name: string): string | null;
}

const optionalId = 'Optional. Digits only.';
const versionHint = 'Optional. A version such as 6.5. Sites show it with an update.';

const lemonsqueezy: ClientSystem<LemonSqueezyAdapter> = {
  name: 'Lemon Squeezy',
  calls:
    'They call `/v1/licenses/activate`, `validate` and `deactivate` on this server. The ids are those that they compare.',
  lead: 'Software that checks its license at Lemon Squeezy goes on working here, with the same keys. It only needs the address of this server. Answers have the ids that you enter, because such software compares them.',
  settings: [
    {
      ...{ name: 'store_id', input: 'store', kind: 'id', read: ({ storeId }) => storeId },
      ...{ description: 'The id of your store there, which answers contain.', example: 1234 },
      ...{ label: 'Id of your store at Lemon Squeezy', hint: optionalId },
    },
    {
      ...{ name: 'product_id', input: 'product', kind: 'id', read: ({ productId }) => productId },
      ...{ description: 'The id of the product there.', example: 56_789 },
      ...{ label: 'Id of the product there', hint: optionalId },
    },
    {
      ...{ name: 'variant_id', input: 'variant', kind: 'id', read: ({ variantId }) => variantId },
      ...{ description: 'The id of its variant there.', example: 98_765 },
      ...{ label: 'Id of the variant there', hint: optionalId },
    },
  ],
  make: (isOn, { id }) => ({
    isOn,
    storeId: id('store_id'),
    productId: id('product_id'),
    variantId: id('variant_id'),
  }),
};

const edd: ClientSystem<EddAdapter> = {
  name: 'EDD Software Licensing',
  shortName: 'EDD',
  calls:
    'They call `/edd` on this server, with `edd_action`. A client names its product by id or, without one, by name. Sites are told of the versions of WordPress and PHP.',
  lead: 'WordPress plugins and other software that check their license at a store with EDD Software Licensing go on working here, with the same keys, and get their updates. They only need the address of this server. They must send the id or the name that you enter.',
  settings: [
    {
      ...{ name: 'item_id', input: 'item', kind: 'id', read: ({ itemId }) => itemId },
      ...{ description: 'The id of the download there. Clients that send another one are refused.', example: 8 },
      ...{ label: 'Id of the download there', hint: optionalId },
    },
    {
      ...{ name: 'item_name', input: 'name', kind: 'name', read: ({ itemName }) => itemName },
      ...{ description: 'Its name there, for clients that send no id.', example: 'Sample Plugin' },
      ...{ label: 'Its name there', hint: 'Optional. Old software sends the name instead of the id.' },
    },
    {
      ...{ name: 'requires', input: 'requires', kind: 'version', read: ({ plugin }) => plugin.requires },
      ...{ description: 'The oldest WordPress with which it works.', example: '6.0' },
      ...{ label: 'Oldest WordPress with which it works', hint: versionHint },
    },
    {
      ...{ name: 'tested', input: 'tested', kind: 'version', read: ({ plugin }) => plugin.tested },
      ...{ description: 'The newest WordPress with which it was tried.', example: '6.5' },
      ...{ label: 'Newest WordPress with which you tried it', hint: versionHint },
    },
    {
      ...{ name: 'requires_php', input: 'requires_php', kind: 'version', read: ({ plugin }) => plugin.requiresPhp },
      ...{ description: 'The oldest PHP with which it works.', example: '8.1' },
      ...{ label: 'Oldest PHP with which it works', hint: versionHint },
    },
  ],
  make: (isOn, { id, text }) => ({
    isOn,
    itemId: id('item_id'),
    itemName: text('item_name'),
    plugin: { requires: text('requires'), tested: text('tested'), requiresPhp: text('requires_php') },
  }),
};

const gumroad: ClientSystem<GumroadAdapter> = {
  name: 'Gumroad',
  calls:
    'They call `/v2/licenses/verify` on this server. A client names its product by id or, without one, by permalink.',
  lead: 'Software that verifies its license at Gumroad goes on working here, with the same keys. It only needs the address of this server. It must send the id or the permalink that you enter.',
  settings: [
    {
      ...{ name: 'product_id', input: 'product', kind: 'name', read: ({ productId }) => productId },
      description: 'The id of the product there. Clients that send another one are refused.',
      ...{ example: '32-nPAicqbLj8B_WswVlMw==', label: 'Id of the product there' },
    },
    {
      ...{ name: 'permalink', input: 'permalink', kind: 'name', read: ({ permalink }) => permalink },
      description: 'The last part of its address there, for clients that send no id.',
      ...{ example: 'pencil', label: 'Its permalink there' },
      hint: 'Optional. The last part of its address. Old software sends it instead of the id.',
    },
  ],
  make: (isOn, { text }) => ({ isOn, productId: text('product_id'), permalink: text('permalink') }),
};

const slm: ClientSystem<SlmAdapter> = {
  name: 'Software License Manager',
  calls:
    'They call `/slm` on this server, with `slm_action`. A client must send the secret key; without one, no client is let in.',
  lead: 'Software that checks its license at a site with the plugin Software License Manager goes on working here, with the same keys. It only needs the address of this server. It must send the secret key that you enter.',
  settings: [
    {
      ...{ name: 'secret_key', input: 'secret', kind: 'name', read: ({ secretKey }) => secretKey },
      description:
        'The secret key for activation and deactivation there. Clients that send another one find no license.',
      ...{ example: '5f8b3e0a9c1d2.12345678', label: 'Secret key of your store' },
      hint: 'The one for activation and deactivation, which your software sends.',
    },
    {
      ...{ name: 'item_reference', input: 'reference', kind: 'name', read: ({ itemReference }) => itemReference },
      description: 'What clients send as item_reference. Those that send another one find no license.',
      ...{ example: 'Sample Plugin', label: 'Item reference' },
      hint: 'Optional. What your software sends as item_reference. With several products, each needs its own.',
    },
  ],
  make: (isOn, { text }) => ({ isOn, secretKey: text('secret_key'), itemReference: text('item_reference') }),
};

const systems: { readonly [S in System]: ClientSystem<ProductAdapters[S]> } = { lemonsqueezy, edd, gumroad, slm };

/** The settings for the clients of one system, as API and page show and take them. */
export interface ClientSettings extends Omit<ClientSystem<never>, 'settings' | 'make'> {
  readonly system: System;
  readonly shortName: string;
  readonly settings: readonly ClientSetting[];
  /** The values of a product's settings, by their names in the API. */
  read(adapters: ProductAdapters): { readonly isOn: boolean; readonly values: Readonly<Record<string, SettingValue>> };
  /** The adapter with these values. What is missing is `null`. */
  make(isOn: boolean, values: Readonly<Record<string, SettingValue | undefined>>): Partial<ProductAdapters>;
}

function settingsOf<S extends System>(system: S): ClientSettings {
  const { name, shortName = name, calls, lead, settings, make } = systems[system];
  return {
    ...{ system, name, shortName, calls, lead, settings },
    read(adapters) {
      const adapter = adapters[system];
      return { isOn: adapter.isOn, values: Object.fromEntries(settings.map((one) => [one.name, one.read(adapter)])) };
    },
    make(isOn, values) {
      const as = <T>(is: (value: unknown) => value is T, key: string) => {
        const value = values[key] ?? null;
        if (value !== null && !is(value)) throw new Error(`The setting ${key} has a value of another kind.`);
        return value;
      };
      const given: SettingValues = {
        id: (key) => as((value) => typeof value === 'number', key),
        text: (key) => as((value) => typeof value === 'string', key),
      };
      return { [system]: make(isOn, given) };
    },
  };
}

/** In the order in which pages show them. */
export const clientSettings: readonly ClientSettings[] = systemsWithClients.map(settingsOf);
