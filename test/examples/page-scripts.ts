// Scripts that run in a page before its own.

/** `goAhead(milliseconds)` sets the clock of the page ahead. Intervals are a thousand times as short. */
export const quickClock = `{
  const [now, every] = [Date.now, setInterval];
  let ahead = 0;
  Date.now = () => now() + ahead;
  globalThis.setInterval = (act, milliseconds) => every(act, milliseconds / 1000);
  globalThis.goAhead = (milliseconds) => { ahead += milliseconds; };
}`;

interface Wallet {
  readonly account: string;
  /** In the smallest unit of the token, which has 6 decimals. */
  readonly balance: bigint;
  readonly chainId?: number;
  /** Whether its user declines to connect. */
  readonly declines?: boolean;
}

/** A wallet (EIP-1193) that knows one token, with the calls of the page in `walletCalls`. */
export function walletScript({ account, balance, chainId = 1, declines = false }: Wallet): string {
  const word = (hex: string) => hex.padStart(64, '0');
  const text = Buffer.from('USDC').toString('hex').padEnd(64, '0');
  const answers = {
    [`0x70a08231${word(account.slice(2).toLowerCase())}`]: `0x${word(balance.toString(16))}`,
    '0x313ce567': `0x${word('6')}`,
    '0x95d89b41': `0x${word('20')}${word('4')}${text}`,
  };
  return `{
    const answers = ${JSON.stringify(answers)};
    let accounts = [];
    globalThis.walletCalls = [];
    globalThis.ethereum = {
      async request({ method, params }) {
        walletCalls.push(method);
        if (method === 'eth_chainId') return '0x${chainId.toString(16)}';
        if (method === 'eth_requestAccounts' && ${declines}) throw { code: 4001, message: 'User rejected the request.' };
        if (method === 'eth_requestAccounts') accounts = ['${account}'];
        if (method === 'eth_requestAccounts' || method === 'eth_accounts') return accounts;
        const found = method === 'eth_call' && params[0].to.toLowerCase() === '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' && answers[params[0].data];
        if (found) return found;
        throw { code: -32601, message: 'The wallet does not know ' + JSON.stringify({ method, params }) };
      },
    };
  }`;
}
