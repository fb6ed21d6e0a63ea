import { setFlagsFromString } from 'node:v8';

/** By how many percent of its objects the heap may grow until all garbage is collected. 0: V8 decides, and lets it grow several times. */
const flag = '--heap-growing-percent';
const growth = 50;

let running = 0;

/**
 * Runs long work that leaves much garbage, in less memory. V8 reads the flag at the end of each collection, so it may be set
 * at any time. Collections are more frequent meanwhile.
 */
async function inSmallHeap<T>(work: () => Promise<T>, setFlag: (flag: string) => void): Promise<T> {
  running += 1;
  if (running === 1) setFlag(`${flag}=${growth}`);
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) setFlag(`${flag}=0`);
  }
}

/** Returns a maker of the same service, of which these methods run in a small heap. `setFlag` sets a flag of V8. */
export function withSmallHeap<Ports, Service extends object>(
  make: (ports: Ports) => Service,
  names: readonly (keyof Service)[],
  setFlag: (flag: string) => void = setFlagsFromString,
): (ports: Ports) => Service {
  return (ports) => {
    const service = make(ports);
    const methods = names.map((name) => {
      const method = service[name];
      if (typeof method !== 'function') throw new TypeError(`${String(name)} is not a method.`);
      return [
        name,
        (...given: unknown[]) => inSmallHeap(async () => await Reflect.apply(method, service, given), setFlag),
      ] as const;
    });
    return { ...service, ...Object.fromEntries(methods) };
  };
}
