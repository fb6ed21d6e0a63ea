import type { Provider } from '../../../core/purchases/order.ts';

/** The words of invoices and credit notes. */
export const invoiceWords = {
  invoice: (number: string) => `Invoice ${number}`,
  /** Orders that were paid before there were invoices. */
  receipt: (number: string) => `Receipt ${number}`,
  creditNote: (number: string) => `Credit note ${number}`,
  cancellation: (number: string) => `Cancellation of a credit note ${number}`,
  caption: 'What was paid',
  test: 'Test order. This is no real invoice.',
  from: 'Seller',
  to: 'Buyer',
  taxId: (id: string) => `Tax ID ${id}`,
  date: 'Date',
  order: 'Order',
  forInvoice: 'For invoice',
  invoiceDate: 'Date of the invoice',
  corrected: 'Corrected',
  paidBy: 'Payment',
  by: {
    free: 'Free',
    stripe: 'With Stripe',
    test: 'With play money (test)',
    manual: 'By transfer, or as agreed',
    usdc: 'In USDC',
  } satisfies Record<Provider, string>,
  item: 'Item',
  amount: 'Amount',
  license: (key: string) => `License ${key}`,
  reasons: {
    credit: { refund: 'Refund', dispute: 'Payment taken back by the bank' },
    cancellation: { refund: 'A refund that did not arrive', dispute: 'The bank has paid again after all' },
  },
  coupon: (code: string) => `Coupon ${code}`,
  price: 'Price',
  tax: 'Tax',
  taxName: (name: string, rate: number | null, place: string | undefined) =>
    [name, rate !== null && `${rate} %`, place && `(${place})`].filter(Boolean).join(' '),
  includes: (tax: string) => `Includes ${tax}`,
  total: 'Total',
  refunded: 'Refunded',
  left: 'Paid after refunds',
  reverseCharge: 'Reverse charge: the buyer owes the VAT.',
  takenBack: 'The bank has taken this payment back.',
  page: ['Page', 'of'],
  missing:
    'Some characters cannot be printed, and are shown as □. The page of this document on the site shows all of them.',
  print: 'Print',
  pdf: 'Download as PDF',
  notes: 'Credit notes',
  noteLead: 'Each refund has a credit note. The invoice without them is what was paid in the end.',
  back: 'Back to the order',
} as const;
