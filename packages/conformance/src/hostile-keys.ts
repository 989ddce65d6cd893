import { canonicalKey, keyBytes, portableKeyBytes } from '@unikv/core/adapter'
import {
  encodedKeys,
  namesOfThings,
  pathKeys,
  patternKeys,
  queryKeys,
  serverKeys,
  windowsKeys,
} from './hostile-texts.ts'

/** Keys that some store or other has confused, changed, cut or executed. */
export interface KeyClass {
  readonly title: string
  readonly keys: readonly string[]
}

/** Values that are not keys at all. */
export interface InvalidKey {
  readonly title: string
  readonly key: unknown
}

/** Characters that servers, file systems and terminals treat in their own way. */
// biome-ignore format: many on a line, to be looked over
const controls = [
  ...range(0x00, 0x20), ...range(0x7f, 0xa0),
  0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a,
  0x202e, 0x2060, 0x2066, 0x2069, 0x3000, 0xfe0f, 0xfeff, 0xfff9, 0xfffd, 0xfffe, 0xffff, 0xe0001,
].map((point) => String.fromCodePoint(point))

/** First and last characters of each length in UTF-8, and what surrounds the surrogates. */
const edges = [
  0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfdd0, 0xffff, 0x10000, 0x1f600, 0x1ffff, 0x10fffe, 0x10ffff,
].map((point) => String.fromCodePoint(point))

/** Pairs that a collation, a normalisation or a case-insensitive file system takes for one. */
// biome-ignore format: many on a line, to be looked over
const lookalikes = [
  'key', 'Key', 'KEY', 'kEy', 'kEY', 'ke\u0301y', 'k\u00e9y', 'k\u00c9y', 'k\u00eay', 'k\u0117y',
  'caf\u00e9', 'cafe\u0301', 'cafe', 'CAFE', 'CAF\u00c9', 'caf\u00e8', 'Cafe\u0301',
  'i', 'I', '\u0130', '\u0131', 'i\u0307', '\u012b', '\u2170', '\u2160', 'file', 'FILE', 'F\u0130LE',
  'f\u0131le',
  'stra\u00dfe', 'strasse', 'STRASSE', 'STRA\u1e9eE', '\u00df', 'ss', '\u017f', 's', 'S', '\u1e9e',
  '\uff41\uff42\uff43', 'abc', 'ABC', '\uff21\uff22\uff23', '\u24d0\u24d1\u24d2',
  '\ud835\udc1a\ud835\udc1b\ud835\udc1c',
  '\u212b', '\u00c5', 'A\u030a', '\u00e5', 'a\u030a', '\u212a', 'k', 'K', '\u2126', '\u03a9', '\u03c9',
  '\u03c3', '\u03c2', '\u03a3', '\ufb01', 'fi', '\ufb00', 'ff', '\u01c4', '\u01c5', '\u01c6', 'D\u017d',
  '\u0132', 'IJ',
  '\uac00', '\u1100\u1161', '\u304c', '\u304b\u3099', '\uff76', '\u30ab', '\u304b', '\uf900', '\u8c48',
  '\u2f00', '\u4e00',
  'o\u0308', '\u00f6', 'oe', '\u0153', '\u00e6', 'ae', '\u00c6', '\u00f8', 'o', '\u043e', '\u03bf',
  '\u0430', 'a',
  'a\u0323\u0307', 'a\u0307\u0323', '\u1ea1\u0307', '\u0227\u0323', '\u00bd', '1\u20442', '\u00b2', '2',
  '\u2082', '\u0662',
  'x', 'x ', 'x  ', ' x', 'x\t', 'x\n', 'x\r\n', 'x\0', 'x.', 'x..', 'X', 'x\u00a0', 'x\u200b',
  'x\u00ad', '\u00d7',
]

/** Keys of which one is the beginning of the other, and keys next to each other in the order of bytes. */
// biome-ignore format: many on a line, to be looked over
const neighbours = [
  'users', 'users2', 'user', 'users:', 'users:1', 'users:10', 'users:2', 'users/', 'users/1', 'users\0',
  'users\u00ff',
  'foo', 'foo/bar', 'foo/bar/baz', 'foo/', 'foo//bar', 'foo.', 'foo.bar', 'fo', 'f', 'foobar', 'foo bar',
  'foo\u0001',
  'a\u00ff', 'a\u0100', 'a\ud7ff', 'a\ue000', 'a\uffff', 'a\u{10000}', 'a\u{10ffff}', 'b', 'a\u007f',
  'a\u0080',
]

/** Keys that look like the library's own: each is an ordinary key all the same. */
// biome-ignore format: many on a line, to be looked over
const ownForms = [
  '\u0000', '\u0000d', '\u0000dkey', '\u0000ckey\u00000', '\u0000lkey', '\u0000tkey', '\u0000ikey',
  '\u0000mkey',
  '\u0001users\u0002key', '\u0001users\u0001eu\u0002key', '\u0001', '\u0001\u0002', '\u0002key',
  '\u0002', '\u0002\u0002key',
  '\u0003', '\u0003\u0010', '\u0003key', '\u0010', 'users\u0002key', 'unikv', 'unikv:', 'unikv:key',
  'unikv/key', 'unikv_meta',
]

/** All classes; no key appears twice, and each is at most 180 bytes long in its canonical form. */
export const hostileKeyClasses: readonly KeyClass[] = distinct([
  { title: 'neighbours', keys: neighbours },
  { title: 'lengths', keys: lengths() },
  { title: 'paths', keys: pathKeys },
  { title: 'device names and endings', keys: windowsKeys },
  { title: 'case, accents and normalisation', keys: lookalikes },
  {
    title: 'control and invisible characters',
    keys: controls.flatMap((c) => [c, `${c}key`, `ke${c}y`, `key${c}`]),
  },
  {
    title: 'edges of the encodings',
    keys: [...edges, ...edges.map((c) => `k${c}`), ...edges.map((c) => `${c}${c}y`)],
  },
  { title: 'quotes and query languages', keys: queryKeys },
  { title: 'patterns', keys: patternKeys },
  { title: 'other types', keys: namesOfThings },
  { title: 'names that servers keep for themselves', keys: serverKeys },
  { title: 'encoded text', keys: encodedKeys },
  { title: 'forms of the library itself', keys: ownForms },
])

/** Every hostile key. */
export const hostileKeys: readonly string[] = hostileKeyClasses.flatMap(({ keys }) => keys)

/** Keys that every store rejects with `INVALID_KEY`. */
export const invalidKeys: readonly InvalidKey[] = [
  { title: 'the empty string', key: '' },
  { title: 'a lone high surrogate', key: '\ud800' },
  { title: 'a lone low surrogate', key: '\udc00' },
  { title: 'a high surrogate before a letter', key: 'a\ud83dz' },
  { title: 'surrogates in the wrong order', key: '\ude00\ud83d' },
  { title: 'a cut emoji at the end', key: 'key\ud83d' },
  { title: 'undefined', key: undefined },
  { title: 'null', key: null },
  { title: 'a number', key: 1 },
  { title: 'NaN', key: Number.NaN },
  { title: 'a boolean', key: true },
  { title: 'a bigint', key: 1n },
  { title: 'a symbol', key: Symbol('key') },
  { title: 'an array', key: ['key'] },
  { title: 'a query operator', key: { $gt: '' } },
  { title: 'bytes', key: Buffer.from('key') },
  { title: 'a String object', key: Object('key') as unknown },
  { title: 'an object that pretends', key: { toString: () => 'key', valueOf: () => 'key', length: 3 } },
  { title: 'a proxy', key: new Proxy({}, { get: () => () => 'key' }) },
  { title: 'a date', key: new Date(0) },
  { title: 'a function', key: () => 'key' },
]

/** Keys at the limit that all stores share, and pairs there that differ in one place. */
function lengths(): string[] {
  const sizes = [
    2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 99, 100, 127, 128, 129, 150, 160, 178, 179, 180,
  ]
  const long = 'k'.repeat(portableKeyBytes - 1)
  const repeated = [
    'K',
    '/',
    '.',
    ' ',
    '%',
    '\u001f',
    'a/',
    '../',
    '\u00e9',
    '\u00ff',
    '\u20ac',
    '\u{1f600}',
    '\u{10ffff}',
  ]
  return [
    ...sizes.map((size) => 'k'.repeat(size)),
    ...['a', 'b', ' ', '\0', 'K'].flatMap((c) => [long + c, c + long]),
    ...repeated.map((text) => text.repeat(portableKeyBytes / keyBytes(text))),
    `${'\u{1f600}'.repeat(44)}\u{1f601}`,
    `${'x'.repeat(90)}/${'y'.repeat(89)}`,
  ]
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

function distinct(classes: readonly KeyClass[]): KeyClass[] {
  const seen = new Set<string>()
  const isNew = (key: string) =>
    !seen.has(key) && seen.add(key) && keyBytes(canonicalKey('', key)) <= portableKeyBytes
  return classes.map(({ title, keys }) => ({ title, keys: keys.filter(isNew) }))
}
