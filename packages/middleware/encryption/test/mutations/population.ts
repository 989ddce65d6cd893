import type { Random } from '@unikv/test-kit/schedules'
import type { Algorithm, RecordKind } from '../../src/index.ts'
import type { Form, Place, Subject } from './subject.ts'

/** A genuine record, and an earlier one of the same key. */
export interface Sealed {
  readonly place: Place
  readonly form: Form
  readonly value: Buffer
  readonly envelope: Buffer
  readonly earlier: Buffer
}

/** Genuine records, of every suite, form and kind. */
export interface Population {
  readonly records: readonly Sealed[]
  /** Whether some bytes are a genuine record of a place. */
  isGenuine(envelope: Buffer, place: Place): boolean
}

const algorithms: readonly Algorithm[] = ['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305']
const kinds: readonly RecordKind[] = [
  'value',
  'cache-entry',
  'delta-base',
  'delta',
  'chunk',
  'warm-restart',
  'transaction',
]

/** Records for each suite × padding × chunks × kind, of values, keys and datasets that the seed decides. */
export function population(chance: Random, subject: Subject): Population {
  const records = algorithms.flatMap((algorithm) =>
    [0, 16].flatMap((paddedTo) =>
      [0, 1_024].flatMap((chunkBytes) =>
        kinds.map((kind): Sealed => {
          const form: Form = { algorithm, paddedTo, chunkBytes, keyId: chance.pick(['k1', 'k2'] as const) }
          const place = placeOf(chance, kind)
          const value = bytes(chance, chunkBytes === 0 ? chance.below(64) : 1 + chance.below(3_500))
          const earlier = bytes(chance, chance.chance(0.5) ? value.length : 1 + chance.below(2_000))
          const envelope = subject.seal(value, place, form)
          return { place, form, value, envelope, earlier: subject.seal(earlier, place, form) }
        }),
      ),
    ),
  )
  const genuine = new Map<string, Buffer[]>()
  for (const { place, envelope, earlier } of records) {
    const known = genuine.get(nameOf(place)) ?? []
    genuine.set(nameOf(place), [...known, envelope, earlier])
  }
  return {
    records,
    isGenuine: (envelope, place) => genuine.get(nameOf(place))?.some((one) => one.equals(envelope)) ?? false,
  }
}

function placeOf(chance: Random, kind: RecordKind): Place {
  return {
    kind,
    dataset: chance.pick(['users', 'users2']),
    key: chance.pick(['ada', 'bob', '\u0001team\u0002ada', '\u0000dada1\u00001']),
    codec: chance.pick(['', 'json']),
    context: chance.pick(['', 'tenant']),
  }
}

/** Bytes that the seed decides; some of them are mostly zeros, as padding is. */
function bytes(chance: Random, length: number): Buffer {
  const isSparse = chance.chance(0.3)
  return Buffer.from(
    Uint8Array.from({ length }, () => (isSparse && chance.chance(0.9) ? 0 : chance.below(256))),
  )
}

function nameOf({ dataset, key, kind, codec, context }: Place): string {
  return JSON.stringify([dataset, key, kind, codec, context])
}
