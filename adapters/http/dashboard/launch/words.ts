import type { LaunchStep } from '../../../../core/administration/launch.ts';

/** A step of the list: what to do, why, and the page on which it is done, from the site's first page. */
interface StepWords {
  readonly title: string;
  readonly why: string;
  readonly to: string;
  readonly action: string;
}

export const words = {
  title: 'Launch checklist',
  lead: (left: number) =>
    left === 1 ? 'One step is left before your site is ready.' : `${left} steps are left before your site is ready.`,
  done: 'Done',
  hide: 'Hide this list',
  /** The first purchase, once an order waits for its payment. */
  ordered: {
    title: 'Make a first purchase',
    why: 'An order waits for its payment. Mark it as paid. Then the page of the order shows the key.',
    to: 'admin/orders',
    action: 'See the order',
  },
  steps: {
    name: {
      title: 'Name your site',
      why: 'Its name is at the top of every page, and in every mail.',
      to: 'admin/settings/appearance?from=launch',
      action: 'Set the name',
    },
    pay: {
      title: 'Set up a way to pay',
      why: 'Without one, buyers can only get free products.',
      to: 'admin/settings/payments?from=launch',
      action: 'Set it up',
    },
    product: {
      title: 'Publish your first product',
      why: 'Until then, the marketplace is empty.',
      to: 'selling/live/products/new',
      action: 'Add a product',
    },
    purchase: {
      title: 'Make a first purchase',
      why: 'Order your product in a private window, pay it or record its payment, and see what buyers see, up to the key.',
      to: 'marketplace',
      action: 'Open the marketplace',
    },
    invoices: {
      title: 'Enter your details for invoices',
      why: 'Companies need your name, address and tax ID on them.',
      to: 'admin/settings/invoices',
      action: 'Enter them',
    },
    mail: {
      title: 'Connect a mail server',
      why: 'Buyers get their keys by mail, and confirm their accounts.',
      to: 'admin/settings/mail?from=launch',
      action: 'Set it up',
    },
    https: {
      title: 'Use HTTPS',
      why: 'Browsers warn of sites without it, and passwords could be read on the way. BASE_URL must begin with https://.',
      to: 'docs/deploying',
      action: 'Read how',
    },
    backup: {
      title: 'Make backups',
      why: 'The database and the files are all that you have. Try a restore once.',
      to: 'admin/settings/launch?from=launch',
      action: 'Mark as done',
    },
  } as const satisfies Record<LaunchStep, StepWords>,
} as const;
