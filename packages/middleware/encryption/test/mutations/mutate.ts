import { randomBytes } from 'node:crypto'
import type { Random } from '@unikv/test-kit/schedules'
import type { RecordKind } from '../../src/index.ts'
import type { Population, Sealed } from './population.ts'
import type { Place } from './subject.ts'

/** What is put before an opener. */
export interface Attempt {
  readonly envelope: Buffer
  readonly place: Place
}

/** What a mutation works on. */
interface Material extends Attempt {
  readonly chance: Random
  readonly record: Sealed
  /** Another genuine record: of the same key, or of any. */
  readonly donor: Buffer
}

type Mutation = (material: Material) => Attempt

const idsAt = 8
const fixedBytes = 4 + 32 + 32
const tagBytes = 16

/** Where the parts of an envelope are, as far as it is one. */
function partsOf(envelope: Buffer): Readonly<Record<string, readonly [from: number, to: number]>> {
  const lengths = envelope[7] ?? 0
  const keyAt = idsAt + (lengths >> 4)
  const indexAt = keyAt + (lengths & 15)
  const sizeAt = indexAt + fixedBytes
  const bodyAt = sizeAt + (((envelope[6] ?? 0) & 0x10) === 0 ? 0 : 1)
  return {
    version: [4, 5],
    suite: [5, 6],
    flags: [6, 7],
    lengths: [7, 8],
    ids: [idsAt, indexAt],
    index: [indexAt, indexAt + 4],
    salt: [indexAt + 4, indexAt + 36],
    commitment: [indexAt + 36, sizeAt],
    header: [0, bodyAt],
    body: [bodyAt, envelope.length - tagBytes],
    tag: [envelope.length - tagBytes, envelope.length],
    all: [bodyAt, envelope.length],
  }
}

const byteMutations: Readonly<Record<string, (material: Material) => Buffer>> = {
  bit: ({ chance, envelope }) =>
    edited(envelope, (copy) => {
      for (let left = chance.chance(0.8) ? 1 : 2 + chance.below(7); left > 0; left--) {
        const at = somewhere(chance, copy)
        copy[at] = (copy[at] as number) ^ (1 << chance.below(8))
      }
    }),
  byte: ({ chance, envelope }) =>
    edited(envelope, (copy) => {
      copy[somewhere(chance, copy)] = chance.pick([0, 1, 0xff, chance.below(256)])
    }),
  truncate: ({ chance, envelope }) => {
    const at = chance.below(envelope.length)
    return chance.chance(0.7) ? envelope.subarray(0, at) : envelope.subarray(at)
  },
  'tag cut short': ({ chance, envelope }) =>
    envelope.subarray(0, envelope.length - chance.pick([4, 8, 12, 1, 2, 3, 15])),
  extend: ({ chance, envelope, donor }) => {
    const more = 1 + chance.below(64)
    const tail = chance.pick([Buffer.alloc(more), randomBytes(more), donor, envelope.subarray(-more)])
    return Buffer.concat(chance.chance(0.8) ? [envelope, tail] : [tail, envelope])
  },
  insert: ({ chance, envelope }) => {
    const at = somewhere(chance, envelope)
    const more = 1 + chance.below(32)
    const between = chance.pick([Buffer.alloc(more), randomBytes(more)])
    return Buffer.concat([envelope.subarray(0, at), between, envelope.subarray(at)])
  },
  remove: ({ chance, envelope }) => {
    const at = somewhere(chance, envelope)
    return Buffer.concat([envelope.subarray(0, at), envelope.subarray(at + 1 + chance.below(32))])
  },
  splice: ({ chance, envelope, donor }) => {
    const at = somewhere(chance, envelope)
    const from = chance.chance(0.7) ? at : chance.below(donor.length)
    return Buffer.concat([envelope.subarray(0, at), donor.subarray(from)])
  },
  'field swap': ({ chance, envelope, donor }) => swapped(chance, envelope, donor, fieldNames),
  'old header': ({ record, chance, envelope }) => {
    const [from, to] = partsOf(record.earlier)['header'] as [number, number]
    const [at, end] = partsOf(envelope)['header'] as [number, number]
    return chance.chance(0.5)
      ? Buffer.concat([record.earlier.subarray(from, to), envelope.subarray(end)])
      : Buffer.concat([envelope.subarray(at, end), record.earlier.subarray(to)])
  },
  'two fields exchanged': ({ chance, envelope }) => {
    const parts = partsOf(envelope)
    const [salt, commitment] = [parts['salt'], parts['commitment']] as [[number, number], [number, number]]
    const [a, b] = chance.chance(0.5)
      ? [salt, commitment]
      : ([parts['tag'], [commitment[0], commitment[0] + tagBytes]] as [[number, number], [number, number]])
    if (Math.min(a[0], b[0]) < 0 || Math.max(a[1], b[1]) > envelope.length) return envelope.subarray(1)
    return edited(envelope, (copy) => {
      copy.set(envelope.subarray(...b), a[0])
      copy.set(envelope.subarray(...a), b[0])
    })
  },
  flags: ({ chance, envelope }) =>
    edited(envelope, (copy) => {
      const other = chance.pick([0x08, 0x10, 0x18, 1 << chance.below(8), chance.below(256)])
      if (copy.length > 6) copy[6] = (copy[6] as number) ^ other
    }),
  'flag and size of chunks': ({ chance, envelope }) => {
    const [, sizeAt] = partsOf(envelope)['commitment'] as [number, number]
    const isChunked = ((envelope[6] ?? 0) & 0x10) !== 0
    const flagged = edited(envelope, (copy) => {
      if (copy.length > 6) copy[6] = (copy[6] as number) ^ 0x10
    })
    const size = isChunked ? [] : [Buffer.of(chance.pick([10, 11, 18, 24]))]
    return Buffer.concat([
      flagged.subarray(0, sizeAt),
      ...size,
      flagged.subarray(isChunked ? sizeAt + 1 : sizeAt),
    ])
  },
  suite: ({ chance, envelope }) =>
    edited(envelope, (copy) => {
      if (copy.length > 5) copy[5] = chance.pick([1, 2, 3, 0, 4, chance.below(256)])
    }),
  'format version': ({ chance, envelope }) =>
    edited(envelope, (copy) => {
      if (copy.length > 4) copy[4] = chance.pick([0, 2, 255])
    }),
  'key identifier': ({ chance, envelope }) =>
    edited(envelope, (copy) => {
      if (copy.length > 14) copy[13] = chance.pick([0x31, 0x32, 0x33])
    }),
  padding: ({ chance, envelope }) => {
    const end = envelope.length - tagBytes
    const bytes = 1 + chance.below(16)
    const tag = envelope.subarray(end)
    return chance.chance(0.5)
      ? Buffer.concat([envelope.subarray(0, Math.max(0, end - bytes)), tag])
      : Buffer.concat([envelope.subarray(0, end), Buffer.alloc(bytes), tag])
  },
  chunks: ({ chance, envelope, donor }) => rearranged(chance, envelope, donor),
  plaintext: ({ chance, record }) =>
    chance.chance(0.5) ? record.value : Buffer.concat([Buffer.from('9e756b76', 'hex'), record.value]),
  'nothing of it': ({ chance, envelope }) => {
    const start = envelope.subarray(0, chance.pick([0, 4, 8, 14, 50, 82, 83]))
    return Buffer.concat([start, randomBytes(chance.below(200))])
  },
}

const fieldNames = ['version', 'suite', 'flags', 'ids', 'index', 'salt', 'commitment', 'body', 'tag', 'all']

const placeMutations: Readonly<Record<string, (chance: Random, place: Place) => Place>> = {
  'cross-key': (chance, place) => ({
    ...place,
    key: chance.pick([
      'ada',
      'bob',
      'adb',
      `${place.key} `,
      '',
      '\u0001team\u0002ada',
      '\u0001team\u0002bob',
    ]),
  }),
  'cross-dataset': (chance, place) => ({
    ...place,
    dataset: chance.pick(['users', 'users2', 'Users', `${place.dataset} `]),
  }),
  'other kind': (chance, place) => ({ ...place, kind: chance.pick(otherKinds) }),
  'other codec': (chance, place) => ({ ...place, codec: chance.pick(['', 'json', 'text']) }),
  'other context': (chance, place) => ({ ...place, context: chance.pick(['', 'tenant', 'tenant2']) }),
  // The same bytes one after the other, divided elsewhere.
  'moved boundary': (chance, { codec, context, key, ...place }) => {
    const all = codec + context + key
    const [a, b] = [chance.below(all.length + 1), chance.below(all.length + 1)].sort((x, y) => x - y)
    return { ...place, codec: all.slice(0, a), context: all.slice(a, b), key: all.slice(b) }
  },
}

const otherKinds: readonly RecordKind[] = [
  'value',
  'cache-entry',
  'delta-base',
  'delta',
  'chunk',
  'warm-restart',
  'transaction',
]

/** All mutations by name. */
export const mutations: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries(byteMutations).map(([name, change]): [string, Mutation] => [
      name,
      (material) => ({ place: material.place, envelope: change(material) }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(placeMutations).map(([name, change]): [string, Mutation] => [
      name,
      ({ chance, place, envelope }) => ({ envelope, place: change(chance, place) }),
    ]),
  ),
}

/** One mutation of a genuine record, or two of them, and the name of the first. */
export function mutated(chance: Random, { records }: Population): Attempt & { readonly name: string } {
  const record = chance.pick(records)
  const any = chance.pick(records)
  const donor = chance.pick([record.earlier, any.envelope, any.earlier])
  const names = Object.keys(mutations)
  const name = chance.pick(names)
  const change = (how: string, attempt: Attempt): Attempt =>
    (mutations[how] as Mutation)({ chance, record, donor, ...attempt })
  const once = change(name, record)
  return { name, ...(chance.chance(0.15) ? change(chance.pick(names), once) : once) }
}

/** Anywhere; as often in the short header as in the rest, however long that is. */
function somewhere(chance: Random, bytes: Buffer): number {
  if (bytes.length === 0) return 0
  const near = Math.min(bytes.length, 83)
  return chance.chance(0.5) ? chance.below(near) : chance.below(bytes.length)
}

function edited(envelope: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(envelope)
  if (copy.length > 0) change(copy)
  return copy
}

/** One or two parts of another record in the place of its own. */
function swapped(chance: Random, envelope: Buffer, donor: Buffer, names: readonly string[]): Buffer {
  let made = envelope
  for (let left = 1 + chance.below(2); left > 0; left--) {
    const name = chance.pick(names)
    const [at, end] = partsOf(made)[name] as [number, number]
    const [from, to] = partsOf(donor)[name] as [number, number]
    made = Buffer.concat([
      made.subarray(0, Math.max(0, at)),
      donor.subarray(Math.max(0, from), Math.max(0, to)),
      made.subarray(Math.max(0, end)),
    ])
  }
  return made
}

/** Chunks dropped, moved, repeated, taken from another record; whole, and with the length of their tags. */
function rearranged(chance: Random, envelope: Buffer, donor: Buffer): Buffer {
  const [, bodyAt] = partsOf(envelope)['header'] as [number, number]
  const [, donorAt] = partsOf(donor)['header'] as [number, number]
  const sealed = 1_024 + tagBytes
  const pieces = cut(envelope.subarray(bodyAt), sealed)
  const foreign = cut(donor.subarray(donorAt), sealed)
  const at = chance.below(pieces.length)
  const to = chance.below(pieces.length)
  const ways: (() => void)[] = [
    () => pieces.splice(at, 1),
    () => pieces.pop(),
    () => pieces.splice(to, 0, ...pieces.splice(at, 1)),
    () => pieces.reverse(),
    () => pieces.splice(to, 0, pieces[at] ?? Buffer.alloc(0)),
    () => pieces.push(pieces[0] ?? Buffer.alloc(0)),
    () => pieces.splice(at, 1, foreign[Math.min(at, foreign.length - 1)] ?? Buffer.alloc(0)),
    () => pieces.push(...foreign),
    () => pieces.splice(at, 1, randomBytes(sealed)),
  ]
  chance.pick(ways)()
  return Buffer.concat([envelope.subarray(0, bodyAt), ...pieces])
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}
