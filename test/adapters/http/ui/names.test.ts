import { expect } from 'chai';
import { nameOf } from '../../../../adapters/http/ui/names.ts';

describe('the name of a category, type or blockchain', () => {
  for (const [text, name] of [
    ['ethereum', 'Ethereum'],
    ['bsc', 'BNB Chain'],
    ['nft', 'NFT'],
    ['nft-drop', 'NFT drop'],
    ['token_sale', 'Token sale'],
    ['erc20', 'ERC-20'],
    ['erc721-drop', 'ERC-721 drop'],
    ['defi', 'DeFi'],
    ['dapp', 'dApp'],
    ['constructor', 'Constructor'],
    ['1inch', '1inch'],
    ['Real Estate', 'Real Estate'],
    ['my-Thing', 'my-Thing'],
    ['交易所', '交易所'],
    ['', ''],
  ] as const) {
    it(`of ${text || 'nothing'} is ${name || 'empty'}`, () => expect(nameOf(text)).to.equal(name));
  }
});
