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
