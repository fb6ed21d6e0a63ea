const nothingElse = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

/**
 * Returns a content security policy that forbids everything but these sources. Only for pages whose scripts are not
 * ours: these may need to write HTML.
 */
export function looserPolicy(...sources: readonly string[]): string {
  return ["default-src 'none'", ...sources, ...nothingElse].join('; ');
}

/** As `looserPolicy`, and scripts cannot write HTML (Trusted Types). */
export function pagePolicy(...sources: readonly string[]): string {
  return looserPolicy(...sources, "require-trusted-types-for 'script'", "trusted-types 'none'");
}
