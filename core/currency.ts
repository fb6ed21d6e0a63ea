/*
 * The currencies in which prices can be set: those that Stripe takes, see https://docs.stripe.com/currencies. All amounts are
 * whole numbers of the smallest unit. The number of decimals stands here and is not asked of the platform: what the platform
 * knows differs from version to version, and for some currencies it is how shops round, not the smallest unit.
 */
const codes = {
  0: 'bif clp djf gnf isk jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf',
  2:
    'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd bwp byn bzd cad cdf chf cny cop crc cve czk dkk ' +
    'dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd hkd hnl htg huf idr ils inr jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl ' +
    'mad mdl mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr ' +
    'sek sgd shp sle sos srd std szl thb tjs top try ttd twd tzs uah usd uyu uzs wst xcd xcg yer zar zmw',
  3: 'bhd jod kwd omr tnd',
} as const;

const decimals: ReadonlyMap<string, number> = new Map(
  Object.entries(codes).flatMap(([digits, list]) => list.split(' ').map((code) => [code, Number(digits)] as const)),
);

/** The currency of all prices that name none, in which lists of products are sorted and filtered. */
export const baseCurrency = 'usd';

/** Lower-case codes of ISO 4217, in the order of the alphabet. */
export const currencies: readonly string[] = [...decimals.keys()].sort();

/** Whether prices can be set in this currency. `code` is in lower case. */
export function isCurrency(code: string): boolean {
  return decimals.has(code);
}

/** Returns a code as messages show it, also one that was typed. */
export function shownCode(code: string): string {
  return code.slice(0, 10).toUpperCase();
}

/** Returns the number of decimals of a currency. `undefined` if no price can be set in it. */
export function decimalsOf(code: string): number | undefined {
  return decimals.get(code);
}

/** The largest amount of a price, in the smallest unit. */
export const mostAmount = 999_999_999_999;

/** Amounts that are paid are multiples of this: card networks do not take the last of three decimals. */
export function stepOf(currency: string): number {
  return decimals.get(currency) === 3 ? 10 : 1;
}

/** Rounds an amount down to one that can be paid. */
export function payable(amount: number, currency: string): number {
  const step = stepOf(currency);
  return Math.floor(amount / step) * step;
}

/** Writes an amount in the main unit with all decimals and a point, such as `45.00`, `7000` or `12.500`. */
export function formatAmount(amount: number, currency: string): string {
  const digits = decimals.get(currency) ?? 2;
  const text = String(Math.abs(amount)).padStart(digits + 1, '0');
  const sign = amount < 0 ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** An amount that shows people how to write one: 49 of the main unit. */
export function exampleAmount(currency: string): string {
  return formatAmount(49 * 10 ** (decimals.get(currency) ?? 2), currency);
}

/**
 * Reads an amount in the main unit, such as `45`, `45.9` or `45.90`, into the smallest unit. Returns `undefined` if the text
 * is none, has more decimals than the currency, or is larger than `mostAmount`.
 */
export function parseAmount(text: string, currency: string): number | undefined {
  const digits = decimals.get(currency);
  const [, whole, part = ''] = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  if (digits === undefined || whole === undefined || part.length > digits) return undefined;
  const amount = Number(whole + part.padEnd(digits, '0'));
  return amount > mostAmount ? undefined : amount;
}
