/** The words of the pages for wallets. */
export const words = {
  title: 'Addresses for USDC',
  lead: 'Buyers can pay your products in USDC, from any wallet or exchange, straight to your own address. This site never holds the money or a key.',
  siteLead:
    'Buyers can pay the products that belong to the site itself in USDC, straight to this address. Other sellers enter addresses of their own.',
  settingsLead: 'Where buyers pay in USDC for products that belong to the site itself.',
  list: 'Addresses',
  columns: { chain: 'Chain', address: 'Address', remove: 'Remove' },
  none: 'There is no address yet, so nobody can pay in USDC.',
  noAddress: 'None yet',
  waits: 'From',
  remove: 'Remove',
  add: 'Enter an address',
  addLead:
    'You prove that it is yours by signing a text with your wallet. That costs nothing. Enter the address of a wallet that you control, and not one of an exchange.',
  waitsLead:
    'The first address is used at once. An address on another chain, or one that replaces another, is used after a day, and you get a mail about it.',
  chain: 'Chain',
  noChain: 'Choose a chain.',
  address: 'Address',
  addressHint: 'It begins with 0x. Copy it from your wallet.',
  noAddressTyped: 'Enter an address.',
  isToken: 'This is the contract of USDC itself. Enter the address of your wallet.',
  next: 'Continue',
  sign: {
    title: 'Sign with your wallet',
    lead: (minutes: number) =>
      `Sign this text with the address in it, as a message and not as a transaction. The text can be used for ${minutes} minutes.`,
    text: 'Text to sign',
    signature: 'Signature',
    signatureHint: 'It begins with 0x. Your wallet, or a tool such as cast wallet sign, shows it.',
    noSignature: 'Enter the signature.',
    wrong:
      'This is no signature of the text by this address. Sign exactly the text above, with the key of this address.',
    none: 'There is no text to sign, or it is too old. Enter the address again.',
    back: 'Back to the addresses',
    submit: 'Use this address',
  },
  transfers: {
    title: 'What has arrived',
    columns: { amount: 'USDC', chain: 'Chain', state: 'State', transaction: 'Transaction' },
    final: 'Arrived',
    seen: 'Seen, not final yet',
    back: 'What was sent back',
    sent: 'Sent back',
    surplus: (surplus: string) => `The buyer has paid ${surplus} USDC too much. Send it back if you are asked to.`,
  },
  claims: {
    label: 'Claimed payments',
    columns: { amount: 'USDC', chain: 'Chain', state: 'State', transaction: 'Transaction' },
    states: { open: 'The seller decides', taken: 'Taken', rejected: 'Not taken' },
    reason: 'Reason:',
  },
  removal: {
    title: (chain: string) => `Remove the address for ${chain}`,
    lead: 'Then nobody can choose to pay there any more. Buyers who see the old address already can still pay to it.',
    submit: 'Remove the address',
    gone: 'There is no address for this chain any more.',
  },
} as const;
