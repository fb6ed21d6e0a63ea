import type { ProofPolicy } from '../../../../core/marketplace/product-terms.ts';

/** The texts about proofs of domains, for buyers. */
export const words = {
  name: 'Prove',
  policies: {
    to_take:
      'Prove your domains: if the license is full, a proven domain takes the place of one that is not. Under “Prove” you see what to publish.',
    always:
      'A new domain counts only when you have proven that it is yours. Enter it under “Why is my site not working?”, and you see what to publish.',
  } satisfies Record<Exclude<ProofPolicy, 'never'>, string>,
  title: (host: string) => `Prove ${host}`,
  lead: 'Show that this domain is yours: publish the text as a TXT record in the DNS, or as a line of a file on the site. Then check it. The text is only for this license and this domain.',
  text: 'Text',
  record: 'TXT record',
  file: 'Or line of the file',
  fileHint:
    'The file has at most 4 KB, and opens without a redirect and with a valid certificate. A new record can take some minutes until everybody sees it.',
  submit: 'Check proof',
  back: 'Back to the order',
  notNeeded: 'There is nothing to prove: this domain is proven already, takes no slot, or is no name of a public host.',
  show: 'See what to publish, and check it',
} as const;
