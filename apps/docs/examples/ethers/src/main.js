import { BrowserProvider, Contract, formatUnits } from 'ethers';
import { mayWork } from './license.js';

/** The token: USDC on Ethereum. */
const token = { chainId: 1n, address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' };
const abi = [
  'function balanceOf(address) view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
];

let isConnected = false;
const find = (id) => document.getElementById(id);

function say(text, balance) {
  find('account').textContent = text;
  find('result').hidden = balance === undefined;
  find('balance').textContent = balance ?? '';
  find('connect').textContent = balance === undefined ? 'Connect wallet' : 'Read again';
}

/** Reads the balance of the account that the wallet shows to this page. */
async function read() {
  if (!(await mayWork())) return;
  if (!window.ethereum) return say('There is no wallet in this browser. Install one, such as MetaMask.');
  find('connect').disabled = true;
  try {
    const provider = new BrowserProvider(window.ethereum);
    const { address } = await provider.getSigner(); // The wallet asks its user.
    isConnected = true;
    const { chainId } = await provider.getNetwork();
    if (chainId !== token.chainId)
      return say('Your wallet is on another network. Choose Ethereum, then connect again.');
    const contract = new Contract(token.address, abi, provider);
    const [balance, decimals, symbol] = await Promise.all([
      contract.balanceOf(address),
      contract.decimals(),
      contract.symbol(),
    ]);
    say(`Wallet ${address}`, `${formatUnits(balance, decimals)} ${symbol}`);
  } catch (fault) {
    // The wallet of a user who declines answers with this code.
    say(
      fault.code === 'ACTION_REJECTED'
        ? 'You did not connect your wallet.'
        : `That did not work: ${fault.shortMessage ?? fault.message}`,
    );
  } finally {
    find('connect').disabled = false;
  }
}

find('connect').addEventListener('click', read);
window.ethereum?.on?.('accountsChanged', ([account]) => {
  isConnected = account !== undefined;
  return isConnected ? read() : say('No wallet is connected.');
});
window.ethereum?.on?.('chainChanged', () => isConnected && read());
mayWork(); // So that the page shows at once whether the license is valid.
