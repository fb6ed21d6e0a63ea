import { counted, readableNumber } from '../numbers.ts';

const files = (count: number) => counted(count, 'file');

/** The texts of the pages for moderators. */
export const moderation = {
  queue: {
    title: 'Moderation',
    lead: (count: number) =>
      count === 1
        ? '1 product waits for approval.'
        : `${readableNumber(count)} products wait for approval, oldest first.`,
    list: 'Products that wait for approval',
    mode: 'Data',
    none: 'Nothing waits for approval',
    noneAdvice: 'Products that sellers submit appear here.',
    all: 'See all products',
    submitted: 'Added',
    review: 'Review',
    pages: 'Pages of the queue',
    before: 'Previous page',
  },
  template: {
    title: 'Choose a template',
    lead: 'Buyers of the product can then download the template too. Earlier orders stay as they were agreed.',
    field: 'Template',
    hint: 'Id or slug. Leave it empty to sell the product without a template.',
    submit: 'Save',
    unknown: 'There is no such template.',
  },
  all: {
    title: 'Products',
    list: 'List of products',
    owner: 'Owner (e-mail)',
    ownerColumn: 'Owner',
    noOwner: 'This site',
    unknownOwner: 'Nobody has this e-mail address',
  },
  modes: { live: 'Live', test: 'Test' },
  one: {
    approve: 'Approve',
    reject: 'Reject',
    manage: 'Edit and manage',
    asBuyers: 'As buyers see it',
    openPage: 'Open the page',
    contents: 'Contents of the zip',
    contentsLead: (count: number, size: string) => `${files(count)}, ${size} unpacked.`,
    onlyFirst: (count: number) => `Only the first ${files(count)} are listed. Download the zip to see all.`,
    unreadable: 'The contents of the zip cannot be listed. Download it to look into it.',
    noZip: 'This product has no zip.',
    file: 'File',
    size: 'Size',
    download: 'Download the zip',
    seller: 'Seller',
    email: 'E-mail',
    name: 'Name',
    since: 'Account since',
    others: (count: number) => (count === 0 ? 'No other products' : counted(count, 'other product')),
    allOthers: 'See all products of this seller',
    noDescription: 'The seller has written no description.',
  },
  rejectTitle: 'Reject this product?',
  rejectLead:
    'The seller gets the reason in a notification and an e-mail. The seller can then change the product and submit it again.',
  rejectReason: 'Reason',
  rejectReasonHint: 'Say what the seller has to change. The seller reads this text.',
  noReason: 'Enter the reason.',
  rejectSubmit: 'Reject product',
  changedMeanwhile:
    'The product has changed in the meantime, or somebody else has already decided about it. Go back and load the page again.',
} as const;
