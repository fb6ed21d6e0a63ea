/** The words of the page on which a seller undoes what was entered as sent back in USDC. */
export const undoWords = {
  name: 'Undo an entry that is not final',
  title: 'Undo what you entered as sent back',
  lead: 'Choose the transaction that you have entered by mistake. It then counts as if you had never entered it. When the chain has made it final, this is not possible any more: the order is refunded then.',
  nothing: 'There is no such entry that is not final yet.',
  needed: 'Another one is final, and has refunded the price, because this one gave back what was too much. It stays.',
  choose: 'Choose the transaction.',
  sent: (usdc: string) => `${usdc} USDC in`,
  submit: 'Undo it',
} as const;
