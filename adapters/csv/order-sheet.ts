import { invoiceNumberOf, noteNumberOf } from '../../core/invoices/invoice.ts';
import { iso } from '../../core/iso.ts';
import type { WriteOrders } from '../../core/ports/order-store.ts';
import type { Order } from '../../core/purchases/order.ts';
import { currencyOf } from '../currency.ts';
import { sheetWriter } from './sheet.ts';

/** The columns of the file. Amounts are in the currency's main unit, such as dollars, with a point. */
const columns = {
  order: ({ id }) => String(id),
  invoice_number: ({ number }) => (number === null ? '' : String(number)),
  invoice: (order) => invoiceNumberOf(order) ?? '',
  credit_notes: (order) => order.creditNotes.map((note) => noteNumberOf(order, note)).join(' '),
  status: ({ state }) => state,
  ordered_at: ({ createdAt }) => iso(createdAt),
  paid_at: ({ paidAt }) => (paidAt === null ? '' : iso(paidAt)),
  product: ({ agreed }) => agreed.slug,
  title: ({ agreed }) => agreed.title,
  buyer_email: ({ buyer }) => buyer.email,
  buyer_name: ({ buyer }) => buyer.name ?? '',
  company: ({ billing }) => billing?.name ?? '',
  company_country: ({ billing }) => billing?.country ?? '',
  company_tax_id: ({ billing }) => billing?.taxId ?? '',
  currency: ({ payment }) => payment.currency.toUpperCase(),
  coupon: ({ agreed }) => agreed.discount?.code ?? '',
  discount: ({ agreed }) => (agreed.discount ? inMainUnit(agreed.discount.amount, agreed.currency) : ''),
  subtotal: ({ payment }) => inMainUnit(payment.subtotal, payment.currency),
  total: ({ payment }) => inMainUnit(payment.total, payment.currency),
  refunded: ({ payment }) => inMainUnit(payment.refunded, payment.currency),
  dispute: ({ payment }) => payment.dispute ?? '',
  provider: ({ provider }) => provider,
  payment_id: ({ paymentId }) => paymentId ?? '',
  license_key: ({ licenseKey }) => licenseKey ?? '',
  renews: ({ renews }) => renews ?? '',
  subscription: ({ id, subscription, cycleOf }) => String(cycleOf ?? (subscription === null ? '' : id)),
} as const satisfies Record<string, (order: Order) => string>;

export const writeOrders: WriteOrders = sheetWriter(columns);

export function inMainUnit(amount: number, currency: string): string {
  const { digits } = currencyOf(currency);
  return (amount / 10 ** digits).toFixed(digits);
}
