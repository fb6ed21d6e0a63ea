import type { BillingDetails } from '../../../core/invoices/billing-details.ts';
import { type CreditNote, creditedOf } from '../../../core/invoices/credit-note.ts';
import { invoiceNumberOf, noteNumberOf } from '../../../core/invoices/invoice.ts';
import { isReverseCharge } from '../../../core/invoices/reverse-charge.ts';
import type { TaxLine } from '../../../core/invoices/tax-line.ts';
import { shortenLicenseKey } from '../../../core/licensing/license-key.ts';
import type { Instant } from '../../../core/ports/clock.ts';
import { licenseOf, type Order, titleOf } from '../../../core/purchases/order.ts';
import { split } from '../../../core/split.ts';
import type { InvoiceSheet, PrintedSheet } from '../../contracts/invoice-sheet.ts';
import { invoiceWords as names } from './invoice-words.ts';
import { moneyOf } from './prices.ts';

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });
const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** The name of a country in English. */
export function countryName(code: string): string {
  return countryNames.of(code) ?? code;
}

const dayOf = (at: Instant) => days.format(at);

/** What a document of an order says at its beginning. */
function headOf(
  order: Order,
  site: string,
  billing = order.billing,
): Pick<InvoiceSheet, 'warning' | 'parties' | 'columns'> {
  const { isLive, provider, invoice, agreed, buyer } = order;
  const seller = invoice?.seller ?? null;
  const nameOfBuyer = billing?.name || buyer.name;
  return {
    warning: isLive && provider !== 'test' ? undefined : names.test,
    columns: [names.item, names.amount],
    parties: [
      {
        label: names.from,
        lines:
          seller === null
            ? [agreed.sellerName ?? site]
            : [seller.name, ...addressOf(seller), ...(seller.email === '' ? [] : [seller.email])],
      },
      {
        label: names.to,
        lines: [...(nameOfBuyer ? [nameOfBuyer] : []), ...(billing === null ? [] : addressOf(billing)), buyer.email],
      },
    ],
  };
}

function addressOf({ lines, postalCode, city, region, country, taxId }: BillingDetails): string[] {
  const town = [postalCode, city].filter(Boolean).join(' ');
  const all = [...lines, town, region, country === null ? '' : countryName(country)];
  return [...all.filter((line) => line !== ''), ...(taxId === '' ? [] : [names.taxId(taxId)])];
}

function nameOfTax({ name, rate, country, state }: TaxLine): string {
  return names.taxName(name, rate, state ?? (country === null ? undefined : countryName(country)));
}

type Sums = InvoiceSheet['sums'];

/** The taxes that were added to the price, the total, and the taxes that it contains. */
function sumsOf(price: number, total: number, taxes: readonly TaxLine[], currency: string): Sums {
  const money = (amount: number) => moneyOf(amount, currency);
  const sum = (label: string, amount: number, isTotal = false) => ({ label, amount: money(amount), isTotal });
  const added = taxes.filter(({ isIncluded, amount }) => !isIncluded && amount > 0);
  const unknown = total - price - added.reduce((all, { amount }) => all + amount, 0);
  return [
    ...(price === total ? [] : [sum(names.price, price)]),
    ...added.map((tax) => sum(nameOfTax(tax), tax.amount)),
    // Of older orders, only the sum of the taxes is known.
    ...(unknown > 0 ? [sum(names.tax, unknown)] : []),
    sum(names.total, total, true),
    ...taxes
      .filter(({ isIncluded, amount }) => isIncluded && amount > 0)
      .map((tax) => sum(names.includes(nameOfTax(tax)), tax.amount)),
  ];
}

/** The invoice of an order that has a number, or the receipt of an order that was paid before there were invoices. */
export function invoiceSheet(order: Order, site: string): InvoiceSheet {
  const { id, agreed, payment, invoice, creditNotes, paidAt, createdAt, provider } = order;
  const { subtotal, total, refunded, currency, dispute } = payment;
  const money = (amount: number) => moneyOf(amount, currency);
  const number = invoiceNumberOf(order) ?? '';
  const key = licenseOf(order);
  const under = key === null ? [] : [names.license(shortenLicenseKey(key))];
  const isOld = invoice === null;
  const { discount } = agreed;
  const listed = subtotal + (discount?.amount ?? 0);
  // The shares are those after the coupon, and the coupon has a line of its own.
  const { bundle = [] } = agreed;
  const shares = split(
    listed,
    bundle.map(({ price }) => price),
  );
  const parts = bundle.map((part, index) => ({
    text: part.offer === null ? part.title : `${part.title}: ${part.offer}`,
    under: [],
    amount: money(shares[index] ?? 0),
  }));
  return {
    ...headOf(order, site),
    title: isOld ? names.receipt(number) : names.invoice(number),
    facts: [
      [names.date, dayOf(paidAt ?? createdAt)],
      [names.order, String(id)],
      [names.paidBy, names.by[provider]],
      ...(invoice?.correctedAt == null ? [] : [[names.corrected, dayOf(invoice.correctedAt)] as const]),
    ],
    items: parts.length > 0 ? parts : [{ text: titleOf(agreed), under, amount: money(listed) }],
    sums: [
      ...(discount === undefined
        ? []
        : [{ label: names.coupon(discount.code), amount: `−${money(discount.amount)}`, isTotal: false }]),
      ...sumsOf(subtotal, total, invoice?.taxes ?? [], currency),
      ...creditNotes.map((note) => ({
        label: names.creditNote(noteNumberOf(order, note)),
        amount: `${note.kind === 'credit' ? '−' : '+'}${money(note.amount)}`,
        isTotal: false,
      })),
      ...(isOld && refunded > 0 ? [{ label: names.refunded, amount: `−${money(refunded)}`, isTotal: false }] : []),
      ...(creditNotes.length > 0 || (isOld && refunded > 0)
        ? [{ label: names.left, amount: money(total - (isOld ? refunded : creditedOf(order))), isTotal: true }]
        : []),
    ],
    notes: [...notesOf(order, order.billing), ...(dispute === 'lost' ? [names.takenBack] : [])],
  };
}

function notesOf(order: Order, buyer: BillingDetails | null): readonly string[] {
  const own = (order.invoice?.seller?.note ?? '').split('\n').filter((line) => line.trim() !== '');
  return isReverseCharge(order, buyer) ? [names.reverseCharge, ...own] : own;
}

/** A credit note, or the cancellation of one. */
export function noteSheet(order: Order, note: CreditNote, site: string): InvoiceSheet {
  const { id, agreed, payment, paidAt, createdAt } = order;
  const { kind, reason, amount, taxes, at } = note;
  const number = noteNumberOf(order, note);
  const net = amount - taxes.reduce((sum, tax) => sum + (tax.isIncluded ? 0 : tax.amount), 0);
  const isCredit = kind === 'credit';
  return {
    ...headOf(order, site, note.billing),
    title: isCredit ? names.creditNote(number) : names.cancellation(number),
    facts: [
      [names.date, dayOf(at)],
      [names.forInvoice, invoiceNumberOf(order) ?? ''],
      [names.invoiceDate, dayOf(paidAt ?? createdAt)],
      [names.order, String(id)],
    ],
    items: [{ text: titleOf(agreed), under: [names.reasons[kind][reason]], amount: moneyOf(net, payment.currency) }],
    sums: sumsOf(net, amount, taxes, payment.currency),
    notes: notesOf(order, note.billing ?? order.billing),
  };
}

/** What is printed into a PDF. Letters are for the countries that use no A4. */
export function printedSheet(sheet: InvoiceSheet, { invoice }: Order, site: string): PrintedSheet {
  const country = invoice?.seller?.country;
  const paper = country === 'US' || country === 'CA' ? 'LETTER' : 'A4';
  return { ...sheet, paper, site, pageWords: names.page, missing: names.missing };
}
