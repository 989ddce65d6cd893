import { mulberry32 } from '@unikv/test-kit'

/** Numbers, and their class. */
export type Sample = readonly [values: readonly number[], label: number]

/** Samples whose meaning changes on the way. */
export interface Stream {
  readonly features: number
  readonly classes: number
  readonly samples: () => Generator<Sample>
}

const seed = 42

/** Two of three features tell, by their sum; what sum does changes three times. A tenth of the labels is wrong. */
export const sea: Stream = {
  features: 3,
  classes: 2,
  *samples() {
    const r = mulberry32(seed)
    for (let i = 0; i < 40_000; i += 1) {
      const values = [10 * r(), 10 * r(), 10 * r()] as const
      const isBelow = values[0] + values[1] <= ([8, 9, 7, 9.5][Math.floor(i / 10_000)] as number)
      const isFlipped = r() < 0.1
      yield [values, isBelow === isFlipped ? 0 : 1]
    }
  },
}

/** Three concepts over size, colour and shape, one after the other. */
export const stagger: Stream = {
  features: 3,
  classes: 2,
  *samples() {
    const r = mulberry32(seed)
    const third = (): number => Math.floor(3 * r())
    for (let i = 0; i < 30_000; i += 1) {
      const values = [third(), third(), third()] as const
      const [size, colour, shape] = values
      const concepts = [size === 0 && colour === 0, colour === 1 || shape === 0, size === 1 || size === 2]
      yield [values, concepts[Math.floor(i / 10_000)] ? 1 : 0]
    }
  },
}

const segments = '1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011'.split(' ')

/** Digits by their segments, of which a tenth is inverted, among 17 bits of chance; half way four bits change places. */
export const led: Stream = {
  features: 24,
  classes: 10,
  *samples() {
    const r = mulberry32(seed)
    for (let i = 0; i < 40_000; i += 1) {
      const digit = Math.floor(10 * r())
      const shown = (segments[digit] as string)
        .split('')
        .map((bit) => (r() < 0.1 ? 1 - Number(bit) : Number(bit)))
      const values = [...shown, ...Array.from({ length: 17 }, () => (r() < 0.5 ? 1 : 0))]
      if (i >= 20_000)
        for (let k = 0; k < 4; k += 1)
          [values[k], values[7 + k]] = [values[7 + k] as number, values[k] as number]
      yield [values, digit]
    }
  },
}

/** What an owner would do about a store, by rules that change half way. */
export const tactic: Stream = {
  features: 6,
  classes: 5,
  *samples() {
    const r = mulberry32(seed)
    const [none, addIndex, addShard, addReplica, inMemory] = [0, 1, 2, 3, 4]
    for (let i = 0; i < 40_000; i += 1) {
      const values = [r(), r() / 2, 3 * r(), r(), 20 * r(), 1000 * r()] as const
      const [read, scan, dataRatio, , p99] = values
      const before = (): number => {
        if (p99 <= 10) return none
        if (scan > 0.25) return addIndex
        if (dataRatio > 1.5) return addShard
        return read > 0.5 ? addReplica : inMemory
      }
      const after = (): number => {
        if (p99 <= 8) return none
        if (dataRatio > 2) return addShard
        if (read > 0.7) return addReplica
        return scan > 0.15 ? addIndex : inMemory
      }
      const label = i < 20_000 ? before() : after()
      yield [values, r() < 0.05 ? Math.floor(5 * r()) : label]
    }
  },
}
