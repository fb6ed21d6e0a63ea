import type { InvoiceProfile } from '../../core/invoices/invoice-profile.ts';

/** The details of a seller in Germany. All fields have different values, so that mixed-up fields are noticed. */
export const exampleProfile: InvoiceProfile = {
  name: 'Lovelace Labs GmbH',
  lines: ['Rosenweg 5', 'Hinterhaus'],
  postalCode: '10115',
  city: 'Berlin',
  region: 'BE',
  country: 'DE',
  taxId: 'DE136695976',
  email: 'billing@lovelace.example',
  note: 'VAT exempt under § 19 UStG.\nThank you.',
  prefix: 'LL-',
  includedTax: null,
};
