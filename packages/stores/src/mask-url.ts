import { isPathUrl } from './store-url.ts'

/** Parameters that may be shown: they name no secret, and without them a URL means another store, or the same by other means. */
const shown = new Set([
  'appName',
  'authMechanism',
  'authSource',
  'compressors',
  'conditions',
  'consistency',
  'datacenter',
  'dataset',
  'db',
  'directConnection',
  'driver',
  'durability',
  'endpoint',
  'host',
  'loadBalanced',
  'lockReads',
  'maxConnections',
  'namedStatements',
  'nodes',
  'readOnly',
  'readPreference',
  'region',
  'replicaSet',
  'replicas',
  'evicts',
  'schema',
  'socket',
  'srvMaxHosts',
  'srvServiceName',
  'sslmode',
  'sync',
  'threads',
  'tls',
  'transactions',
])

/** Values of those parameters: words, numbers, paths and addresses. Others may hold user info. */
const plainValue = /^[\w.,:+/-]*$/

/**
 * A URL without its user info and without parameters that could hold a secret, for messages and results. Takes
 * invalid URLs too: everything up to the last `@` is removed, since a password may contain one.
 */
export function maskUrl(url: string): string {
  const [address, query] = split(isPathUrl(url) ? url : withoutUserInfo(url), '?')
  const kept = query.split('&').filter(mayBeShown)
  return inOneLine(kept.length === 0 ? address : `${address}?${kept.join('&')}`)
}

function mayBeShown(parameter: string): boolean {
  const [name, value] = split(parameter, '=')
  return shown.has(name) && plainValue.test(decoded(value))
}

/** Half a percent code is not a plain value either. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** A line break in a path would break every table that shows it. */
function inOneLine(url: string): string {
  return url.replace(/[\p{Cc}\u2028\u2029]/gu, encodeURIComponent)
}

/** Text that may repeat some of these arguments, without the user info of the URLs in them. */
export function maskArguments(given: readonly string[], text: string): string {
  const secret = given.flatMap((one) => Array.from(one.matchAll(/([a-z][a-z\d+.-]*:\/\/).*@/gis)))
  return secret.reduce((masked, [whole, scheme = '']) => masked.replaceAll(whole, scheme), text)
}

/**
 * An `@` behind the first `?` may be a part of a value, or the end of a password that holds a raw `?`: if in doubt all
 * before it goes.
 */
function withoutUserInfo(url: string): string {
  const [address, query] = split(url, '?')
  const isValue = /^[^@]*=/.test(query) && address.includes('@')
  const shownPart = isValue ? address : url
  return shownPart.replace(/^([a-z][a-z\d+.-]*:(?:\/\/)?)?.*@/is, '$1') + (isValue ? `?${query}` : '')
}

/** Parts before and after the first separator. */
function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
