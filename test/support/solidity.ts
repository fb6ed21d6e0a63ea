import solc from 'solc';

// Contracts for tests. They are compiled once, when a test first needs one.

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Dex {
  uint256 public fee = 30;
  event Swapped(address indexed by, uint256 amount);
  function swap(uint256 amount) external { emit Swapped(msg.sender, amount); }
  function swapOften(uint256 times) external { for (uint256 n = 0; n < times; n++) emit Swapped(msg.sender, n); }
}

contract OtherDex {
  uint256 public fee = 30;
  event Swapped(address indexed by, uint256 amount);
  function swap(uint256 amount) external { emit Swapped(msg.sender, amount + 1); }
}

contract Broken {
  constructor() { revert("no"); }
}

contract Factory {
  function make() external { new Dex(); }
  function nothing() external {}
}

contract Token {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function transfer(address to, uint256 amount) external { emit Transfer(msg.sender, to, amount); }
}

contract Safe {
  address immutable owner;
  constructor(address one) { owner = one; }
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature[0:32]), bytes32(signature[32:64]), uint8(signature[64]));
    return ecrecover(hash, v, r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
  }
  function payTwice(Token token, address to, uint256 one, uint256 other) external {
    token.transfer(to, one);
    token.transfer(to, other);
  }
}

contract Beacon {
  address public implementation;
  constructor(address target) { implementation = target; }
}

contract BeaconProxy {
  constructor(address beacon) {
    assembly { sstore(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50, beacon) }
  }
  fallback() external payable {
    assembly {
      mstore(0, 0x5c60da1b00000000000000000000000000000000000000000000000000000000)
      let beacon := sload(0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50)
      if iszero(staticcall(gas(), beacon, 0, 4, 0, 32)) { revert(0, 0) }
      let target := mload(0)
      calldatacopy(0, 0, calldatasize())
      let done := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch done case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
    }
  }
}

contract Proxy {
  constructor(address target) {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, target) }
  }
  fallback() external payable {
    assembly {
      let target := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
      calldatacopy(0, 0, calldatasize())
      let done := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch done case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
    }
  }
}
`;

type Name = 'Dex' | 'OtherDex' | 'Broken' | 'Factory' | 'Token' | 'Safe' | 'Proxy' | 'Beacon' | 'BeaconProxy';

/** A compiled contract. Codes begin with `0x`. */
export interface Contract {
  /** What creates it. */
  readonly creation: string;
  /** What runs, with the metadata at its end. */
  readonly runtime: string;
  /** The first four bytes of a call of each function. */
  readonly selectors: Readonly<Record<string, string>>;
}

const compiled = new Map<boolean, Readonly<Record<Name, Contract>>>();

/** Compiles the contracts. Those of `another` source differ only in a comment, and so in their metadata. */
export function contracts(another = false): Readonly<Record<Name, Contract>> {
  const known = compiled.get(another);
  if (known) return known;
  const input = {
    language: 'Solidity',
    sources: { 'all.sol': { content: another ? `// another\n${source}` : source } },
    settings: {
      evmVersion: 'paris',
      outputSelection: { '*': { '*': ['evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const found = output.contracts?.['all.sol'];
  if (found === undefined) throw new Error(JSON.stringify(output.errors));
  const made = Object.fromEntries(
    Object.entries<{
      evm: {
        bytecode: { object: string };
        deployedBytecode: { object: string };
        methodIdentifiers: Record<string, string>;
      };
    }>(found).map(([name, { evm }]) => [
      name,
      {
        creation: `0x${evm.bytecode.object}`,
        runtime: `0x${evm.deployedBytecode.object}`,
        selectors: Object.fromEntries(
          Object.entries(evm.methodIdentifiers).map(([text, id]) => [text.replace(/\(.*/, ''), `0x${id}`]),
        ),
      },
    ]),
  ) as unknown as Readonly<Record<Name, Contract>>;
  compiled.set(another, made);
  return made;
}

/** Returns 32 bytes with a number or an address, as contracts take their arguments. */
export function word(value: number | string): string {
  return (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0');
}
