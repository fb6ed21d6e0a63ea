/** Names that capitals alone do not make. */
const known: Readonly<Record<string, string>> = {
  ai: 'AI',
  api: 'API',
  arbitrum: 'Arbitrum One',
  bnb: 'BNB Chain',
  bsc: 'BNB Chain',
  dao: 'DAO',
  dapp: 'dApp',
  defi: 'DeFi',
  dex: 'DEX',
  ico: 'ICO',
  nft: 'NFT',
  nfts: 'NFTs',
  opbnb: 'opBNB',
  optimism: 'OP Mainnet',
  sdk: 'SDK',
  tvl: 'TVL',
  ui: 'UI',
  zksync: 'zkSync',
};

/** A text that programs write, such as `nft-drop`. What has capitals, blanks or other letters was written for people. */
const slug = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;

/** The name of a category, type or blockchain for people: `nft-drop` is "NFT drop", and `erc20` is "ERC-20". */
export function nameOf(text: string): string {
  if (!slug.test(text)) return text;
  const [first = '', ...others] = text.split(/[-_]/).map((word) => {
    if (Object.hasOwn(known, word)) return known[word] ?? word;
    const [, standard = '', number = ''] = /^(erc|eip|bep)(\d+)$/.exec(word) ?? [];
    return standard === '' ? word : `${standard.toUpperCase()}-${number}`;
  });
  const isPlain = first === first.toLowerCase();
  return [isPlain ? first.charAt(0).toUpperCase() + first.slice(1) : first, ...others].join(' ');
}

/** The names of a general and a special term, such as a type and its variant, for people. Empty ones are left out. */
export function namesOf(...texts: readonly (string | null)[]): string {
  return texts.flatMap((text) => (text ? [nameOf(text)] : [])).join(' / ');
}
