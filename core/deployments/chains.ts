import { needingFeature, type Tier } from '../accounts/tier.ts';
import type { Refused } from '../refusal.ts';

/** What is known about a chain. */
export interface KnownChain {
  readonly name: string;
  /** Some plans may not deploy to it. */
  readonly isMainnet: boolean;
  /** The contract of USDC, issued by Circle itself and not bridged, in the spelling of EIP-55. */
  readonly usdc: string;
  /** How many decimals an amount of USDC has. */
  readonly decimals: number;
  /** The usual time between two blocks, in milliseconds. */
  readonly blockTime: number;
  /** After so many more blocks, a block hardly ever goes away. It can still do so until it is final. */
  readonly softBlocks: number;
  /** A site that shows transactions at `/tx/<hash>` and contracts at `/address/<address>`. */
  readonly explorer: string;
}

const decimals = 6;

/** The chains that are known, by chain id. Others work too, but have no name, explorer and USDC here. */
export const knownChains: ReadonlyMap<number, KnownChain> = new Map<number, KnownChain>([
  [
    1,
    {
      name: 'Ethereum',
      isMainnet: true,
      usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      decimals,
      blockTime: 12_000,
      softBlocks: 12,
      explorer: 'https://etherscan.io',
    },
  ],
  [
    10,
    {
      name: 'OP Mainnet',
      isMainnet: true,
      usdc: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
      decimals,
      blockTime: 2_000,
      softBlocks: 15,
      explorer: 'https://optimistic.etherscan.io',
    },
  ],
  [
    137,
    {
      name: 'Polygon',
      isMainnet: true,
      usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      decimals,
      blockTime: 2_000,
      softBlocks: 30,
      explorer: 'https://polygonscan.com',
    },
  ],
  [
    8453,
    {
      name: 'Base',
      isMainnet: true,
      usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      decimals,
      blockTime: 2_000,
      softBlocks: 15,
      explorer: 'https://basescan.org',
    },
  ],
  [
    42161,
    {
      name: 'Arbitrum One',
      isMainnet: true,
      usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      decimals,
      blockTime: 250,
      softBlocks: 120,
      explorer: 'https://arbiscan.io',
    },
  ],
  [
    11_155_111,
    {
      name: 'Sepolia',
      isMainnet: false,
      usdc: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
      decimals,
      blockTime: 12_000,
      softBlocks: 12,
      explorer: 'https://sepolia.etherscan.io',
    },
  ],
  [
    11_155_420,
    {
      name: 'OP Sepolia',
      isMainnet: false,
      usdc: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7',
      decimals,
      blockTime: 2_000,
      softBlocks: 15,
      explorer: 'https://sepolia-optimism.etherscan.io',
    },
  ],
  [
    80002,
    {
      name: 'Polygon Amoy',
      isMainnet: false,
      usdc: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
      decimals,
      blockTime: 2_000,
      softBlocks: 30,
      explorer: 'https://amoy.polygonscan.com',
    },
  ],
  [
    84532,
    {
      name: 'Base Sepolia',
      isMainnet: false,
      usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      decimals,
      blockTime: 2_000,
      softBlocks: 15,
      explorer: 'https://sepolia.basescan.org',
    },
  ],
  [
    421_614,
    {
      name: 'Arbitrum Sepolia',
      isMainnet: false,
      usdc: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
      decimals,
      blockTime: 250,
      softBlocks: 120,
      explorer: 'https://sepolia.arbiscan.io',
    },
  ],
]);

/** Returns the page about a contract or transaction on a site that shows the chain. `null`: no such site is known. */
export function explorerPage(chainId: number, about: 'address' | 'tx', what: string): string | null {
  const explorer = knownChains.get(chainId)?.explorer;
  return explorer === undefined ? null : `${explorer}/${about}/${what}`;
}

/** The names of the mainnets, by chain id. Some plans may not deploy to them. */
export const mainnets: ReadonlyMap<number, string> = new Map(
  [...knownChains].flatMap(([id, { name, isMainnet }]) => (isMainnet ? [[id, name] as const] : [])),
);

/** Refuses if the tier may not deploy to the chain. Unknown chains count as testnets, which are open to every tier. */
export function mayDeploy(tier: Tier, chainId: number): undefined | Refused<'tier_required'> {
  const mainnet = mainnets.get(chainId);
  if (mainnet === undefined) return undefined;
  return needingFeature('mainnet_deploy', tier, `Deploying to ${mainnet} (chain id ${chainId})`);
}
