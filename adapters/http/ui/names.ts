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
  if (Object.hasOwn(known, text)) return known[text] ?? text;
  const words = text.split(/[-_]/).map((word) => {
    const [, standard = '', number = ''] = /^(erc|eip|bep)(\d+)$/.exec(word) ?? [];
    return standard === ''
      ? Object.hasOwn(known, word)
        ? (known[word] ?? word)
        : word
      : `${standard.toUpperCase()}-${number}`;
  });
  const [first = '', ...others] = words;
  const isPlain = /^[a-z]/.test(first) && first === first.toLowerCase();
  return [isPlain ? first.charAt(0).toUpperCase() + first.slice(1) : first, ...others].join(' ');
}
