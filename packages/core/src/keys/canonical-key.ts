import { StoreError } from '../contract/errors.ts'

/*
 * The canonical key: the one form in which keys travel below KeyValue, as a well-formed string whose UTF-8 bytes
 * are what stores see. Its first character tells what it is:
 *
 *   U+0000 kind …        a record that layers keep for themselves (delta, chunk, lease, tag, index, counter)
 *   U+0001 segment …     a key in a namespace: each segment escaped and led in by U+0001, then U+0002, then the key
 *   U+0002 key           a root key that itself starts below U+0003
 *   anything else        a root key as it is, so that the commonest key costs nothing
 *
 * Segments escape U+0000 to U+0003, so no segment is a prefix of another, order is kept, and two different
 * (namespace, key) pairs never meet.
 */

const INTERNAL = '\u0000'
const SEGMENT = '\u0001'
const KEY = '\u0002'
const ESCAPE = '\u0003'

/** Bytes of a canonical key that every adapter takes. */
export const portableKeyBytes = 180

/** The purpose of an internal record. One character, part of the stored format. */
export const internalKinds = {
  delta: 'd',
  chunk: 'c',
  lease: 'l',
  tag: 't',
  index: 'i',
  counter: 'n',
  marker: 'm',
  unnamed: 'u',
} as const

/** The purpose of an internal record. */
export type InternalKind = keyof typeof internalKinds

/** The prefix of every key of a namespace; `''` for the root. */
export function namespacePrefix(segments: readonly string[]): string {
  return segments.length === 0 ? '' : escaped(segments) + KEY
}

/** The two prefixes of every key of a namespace and of the namespaces inside it; neither covers the other. */
export function nestedPrefix(segments: readonly string[]): string {
  return escaped(segments) + SEGMENT
}

/** A namespace right inside another one (`[]`: the root), and where its keys end. */
export interface InnerNamespace {
  readonly name: string
  /** The first canonical key beyond all of its keys, and of those of the namespaces inside it. */
  readonly end: string
}

/** The namespace right inside these that a canonical key belongs to; `undefined`: none. */
export function innerNamespace(segments: readonly string[], canonical: string): InnerNamespace | undefined {
  const prefix = nestedPrefix(segments)
  if (!canonical.startsWith(prefix)) return undefined
  const length = canonical.slice(prefix.length).search(/[\u0001\u0002]/)
  if (length < 1) return undefined
  const escapedName = canonical.slice(prefix.length, prefix.length + length)
  return { name: unescapeSegment(escapedName), end: prefix + escapedName + ESCAPE }
}

/** The canonical key of a checked user key under a prefix of `namespacePrefix`. */
export function canonicalKey(prefix: string, key: string): string {
  if (prefix !== '') return prefix + key
  return key.charCodeAt(0) > 2 ? key : KEY + key
}

/** The user key of a canonical key under this prefix, or `undefined` if it belongs elsewhere. */
export function userKey(prefix: string, canonical: string): string | undefined {
  if (prefix !== '') return canonical.startsWith(prefix) ? canonical.slice(prefix.length) : undefined
  const first = canonical.charCodeAt(0)
  if (first > 2) return canonical
  return first === 2 ? canonical.slice(1) : undefined
}

/**
 * The canonical key of a record that a layer keeps beside (or without) the user record `canonical`; `part` tells
 * several of a kind apart. Injective: the length of the part stands at the end.
 */
export function internalKey(kind: InternalKind, canonical: string, part = ''): string {
  return `${INTERNAL}${internalKinds[kind]}${canonical}${part}${INTERNAL}${part.length}`
}

/** The canonical key that an internal record belongs to; `''` if none, `undefined` if the key is not internal. */
export function ownerKey(internal: string): string | undefined {
  const end = internal.lastIndexOf(INTERNAL)
  const digits = internal.slice(end + 1)
  if (isUserKey(internal) || !/^\d{1,6}$/.test(digits) || end - Number(digits) < 2) return undefined
  return internal.slice(2, end - Number(digits))
}

/**
 * Stands for a record whose key cannot be told (its name is hashed, and it does not open): `stored` is the key in the
 * store, `prefix` the known start of the true key. A layer that hashes names lists it, and deletes it.
 */
export function unnamedKey(prefix: string, stored: string): string {
  return internalKey('unnamed', prefix, stored)
}

/** Whether this is one of `unnamedKey`, of a user record. */
export function isUnnamed(canonical: string): boolean {
  return canonical.startsWith('\u0000u') && canonical.charCodeAt(2) > 0
}

/** The key that the store has, of one of `unnamedKey`; `undefined` for every other. */
export function storedKey(unnamed: string): string | undefined {
  if (!unnamed.startsWith(INTERNAL + internalKinds.unnamed)) return undefined
  const end = unnamed.lastIndexOf(INTERNAL)
  return unnamed.slice(end - Number(unnamed.slice(end + 1)), end)
}

/** Whether a canonical key names a user record. */
export function isUserKey(canonical: string): boolean {
  return canonical.charCodeAt(0) !== 0
}

/** Order of canonical keys: unsigned UTF-8 bytes, which is the order of code points. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return orderOfUnit(x) - orderOfUnit(y)
  }
  return a.length - b.length
}

/** UTF-16 puts surrogates (U+10000 and above) before U+E000 to U+FFFF; UTF-8 puts them after. */
function orderOfUnit(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Smallest string above every string that starts with `prefix`; `undefined` if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.length > 0) {
    const last = points.pop() as number
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}

/** Length of a key in UTF-8 bytes. */
export function keyBytes(key: string): number {
  return Buffer.byteLength(key, 'utf8')
}

/** Reject a name of a namespace that is empty or not well-formed. */
export function checkSegment(name: unknown): asserts name is string {
  if (typeof name === 'string' && name !== '' && name.isWellFormed()) return
  throw new StoreError('INVALID_KEY', 'A namespace name must be a non-empty, well-formed string.')
}

function escaped(segments: readonly string[]): string {
  return segments.map((segment) => SEGMENT + escapeSegment(segment)).join('')
}

function escapeSegment(segment: string): string {
  checkSegment(segment)
  return segment.replace(/[\u0000-\u0003]/g, (c) => ESCAPE + String.fromCharCode(c.charCodeAt(0) + 0x10))
}

function unescapeSegment(escapedName: string): string {
  return escapedName.replace(/\u0003(.)/gs, (_, c: string) => String.fromCharCode(c.charCodeAt(0) - 0x10))
}
