import { hash, timingSafeEqual } from 'node:crypto'
import {
  afterPrefix,
  compareKeys,
  invalidConfig,
  isUserKey,
  type KeyBounds,
  namespacePrefix,
  nestedPrefix,
  ownerKey,
  storedKey,
} from '@unikv/core/adapter'
import { Refused } from './refused.ts'

/** The rights that a caller may have; each includes those before it. */
export const rights = ['read', 'write', 'admin'] as const

/** One of `rights`. */
export type Right = (typeof rights)[number]

/** The rights of a caller. */
export interface Access {
  /** For logs and limits; not a secret. */
  readonly name: string
  /** @default 'read' */
  readonly may?: Right | undefined
  /** Names of the stores. @default all */
  readonly stores?: readonly string[] | undefined
  /** Only keys of this namespace, and of those inside it: its names from the outermost on. @default all */
  readonly namespace?: readonly string[] | undefined
  /** Only keys that begin so, of this namespace or outside of all. @default all */
  readonly prefix?: string | undefined
}

/** A secret, and the rights of its bearer. */
export interface Token extends Access {
  /** At least 16 characters. */
  readonly token: string
}

/** Finds the access of a bearer in a time that does not tell how much of a token was right. */
export function bearers(tokens: readonly Token[]): (authorization: string | undefined) => Access | undefined {
  const known = tokens.map(checked)
  return (authorization) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (given === undefined) return undefined
    const digest = digestOf(given)
    // All are compared, also after one that fits.
    return known.filter((one) => timingSafeEqual(one.digest, digest)).at(0)?.access
  }
}

function checked({ token, ...access }: Token): { readonly digest: Buffer; readonly access: Access } {
  if (typeof token !== 'string' || token.length < 16 || /\s/.test(token))
    throw invalidConfig('Each token must have at least 16 characters, and no space.')
  checkAccess(access)
  return { digest: digestOf(token), access }
}

/** Refuse an access that names a right that there is not: it must not be taken for none, or for all. */
export function checkAccess({ name, may = 'read' }: Access): void {
  if (typeof name !== 'string' || name === '') throw invalidConfig('Each token needs a name, for logs.')
  if (!rights.includes(may)) throw invalidConfig(`may must be one of: ${rights.join(', ')}.`)
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Refuse a caller without this right. */
export function demandRight({ may = 'read' }: Access, right: Right): void {
  if (rights.indexOf(may) >= rights.indexOf(right)) return
  throw new Refused(403, 'FORBIDDEN', `This needs the right '${right}'; this caller has '${may}'.`)
}

/** Whether a caller may see this store. */
export function seesStore({ stores }: Access, store: string): boolean {
  return stores === undefined || stores.includes(store)
}

/** The beginnings of the canonical keys that a caller may use; `undefined`: all keys. */
function prefixesOf({ namespace = [], prefix = '' }: Access): readonly string[] | undefined {
  if (namespace.length === 0) return prefix === '' ? undefined : [prefix]
  const own = namespacePrefix(namespace) + prefix
  return prefix === '' ? [own, nestedPrefix(namespace)] : [own]
}

/** Refuse a range of canonical keys that reaches beyond what the caller may use. */
export function demandRange(access: Access, { start, end }: KeyBounds<string>): void {
  const prefixes = prefixesOf(access)
  const isWithin = (prefix: string): boolean => {
    const beyond = afterPrefix(prefix)
    const ends = beyond === undefined || (end !== undefined && compareKeys(end, beyond) <= 0)
    return isUserKey(start) && start.startsWith(prefix) && ends
  }
  if (prefixes === undefined || prefixes.some(isWithin)) return
  throw notYours()
}

/** The key that a record belongs to. One without a name stands for what is stored under any key. */
function ownerOf(canonical: string): string | undefined {
  if (isUserKey(canonical)) return canonical
  return storedKey(canonical) === undefined ? ownerKey(canonical) : undefined
}

/** Refuse a canonical key, or a beginning of such keys, outside of what the caller may use. Records that layers keep belong to their owner. */
export function demandKey(access: Access, canonical: string): void {
  const prefixes = prefixesOf(access)
  if (prefixes === undefined) return
  const owner = ownerOf(canonical)
  if (owner !== undefined && prefixes.some((prefix) => owner.startsWith(prefix))) return
  throw notYours()
}

function notYours(): Refused {
  return new Refused(403, 'FORBIDDEN', 'This caller may not use keys that begin so.')
}
