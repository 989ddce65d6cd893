/** Parameters that may be shown: they name no secret. */
const shown = new Set(['dataset', 'durability', 'driver', 'sslmode', 'threads', 'tls'])

/** A path may hold an `@` of its own. */
const hasPath = /^(file|lmdb|memory|sqlite):/i

/**
 * A URL without its user info and without parameters that could hold a secret, for messages and results. Takes
 * what is no valid URL too: everything up to the last `@` goes, since a password may hold one.
 */
export function maskUrl(url: string): string {
  const [address, query] = split(url, '?')
  const masked = hasPath.test(address)
    ? address
    : address.replace(/^([a-z][a-z\d+.-]*:(?:\/\/)?)?.*@/is, '$1')
  const kept = query.split('&').filter((parameter) => shown.has(parameter.split('=')[0] as string))
  return kept.length === 0 ? masked : `${masked}?${kept.join('&')}`
}

/** Parts before and after the first separator. */
function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
