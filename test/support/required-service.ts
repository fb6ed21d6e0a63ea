/** A server that tests use only if an environment variable names it. */
export interface RequiredService {
  readonly url?: string;
  /** The reason if its suites are skipped. */
  readonly skip?: string;
}

/** Throws if `REQUIRE_SERVICES` requires the service and the variable is not set. */
export function requiredService(variable: string, name: string): RequiredService {
  const url = process.env[variable];
  if (url) return { url };
  if (process.env.REQUIRE_SERVICES === 'all') throw new Error(`REQUIRE_SERVICES=all, but ${variable} is not set.`);
  return { skip: `${variable} names no ${name}` };
}

/** The reason if long tests are skipped. apps/docs/contributing.md says which tests are long. */
export const skipLong = requiredService('TEST_LONG', 'wish for long tests, such as `yes`').skip;

/** Whether long tests run. */
export const runsLong = skipLong === undefined;

type Suite = (this: Mocha.Suite) => void;

/**
 * Returns `describe` and `it` for tests that need something that may be missing here. `skip` is the reason if it is
 * missing. Then the tests and their hooks are skipped, and the title contains the reason.
 */
export function needing(skip: string | undefined) {
  if (skip === undefined) return { describe, it };
  const why = ` (skipped: ${skip})`;
  return {
    describe: (title: string, suite: Suite) => describe.skip(title + why, suite),
    it: (title: string, test: Mocha.Func | Mocha.AsyncFunc) => it.skip(title + why, test as Mocha.AsyncFunc),
  };
}

/** `it` for a long test. apps/docs/contributing.md says which tests are long. */
export const itLong = needing(skipLong).it;
