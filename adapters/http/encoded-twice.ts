/**
 * What a name can mean that a client sends. Examples for WordPress encode it before it is encoded once more, some with `+` for
 * blanks.
 */
export function meaningsOf(name: string): string[] {
  try {
    return [name, decodeURIComponent(name), decodeURIComponent(name.replaceAll('+', ' '))];
  } catch {
    return [name];
  }
}
