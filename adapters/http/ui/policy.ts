function policyOf(sources: readonly string[], forms: string): string {
  const rest = ["base-uri 'none'", `form-action ${forms}`, "frame-ancestors 'none'"];
  return ["default-src 'none'", ...sources, ...rest].join('; ');
}

const noHtmlByScript = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

/** Returns a content security policy that forbids everything but these sources. Scripts cannot write HTML (Trusted Types). */
export function pagePolicy(...sources: readonly string[]): string {
  return policyOf([...sources, ...noHtmlByScript], "'none'");
}

/**
 * For pages with forms, which may be sent to this site only, by scripts too. `images` is the origin of the pictures of
 * products, if it is not this server. `leadsTo` is the origin of another site to which a form leads after it was sent to
 * this one: browsers check that too.
 */
export function formPolicy(images = '', leadsTo = ''): string {
  const sources = ["script-src 'self'", "style-src 'self'", `img-src 'self' ${images}`.trim(), "connect-src 'self'"];
  return policyOf([...sources, ...noHtmlByScript], `'self' ${leadsTo}`.trim());
}
