/** A server that tests touch only where a variable names it. */
export interface RequiredService {
  readonly url?: string;
  /** Why its suites do not run. */
  readonly skip?: string;
}

/** Throws where `REQUIRE_SERVICES` demands the service and the variable names none. */
export function requiredService(variable: string, name: string): RequiredService {
  const url = process.env[variable];
  if (url) return { url };
  if (process.env.REQUIRE_SERVICES === 'all') throw new Error(`REQUIRE_SERVICES=all, but ${variable} is not set.`);
  return { skip: `${variable} names no ${name}` };
}

type Suite = (this: Mocha.Suite) => void;

/**
 * `describe` and `it` of what needs something that may be missing here. `skip` is the reason if it is missing: then they are
 * skipped with all their hooks, and the title tells the reason.
 */
export function needing(skip: string | undefined) {
  if (skip === undefined) return { describe, it };
  const why = ` (skipped: ${skip})`;
  return {
    describe: (title: string, suite: Suite) => describe.skip(title + why, suite),
    it: (title: string, test: Mocha.AsyncFunc) => it.skip(title + why, test),
  };
}
