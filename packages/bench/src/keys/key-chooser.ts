import { invalidArgument } from '../options/invalid.ts'
import type { Random } from '../random/random.ts'
import { zipfRanks, zipfText } from '../random/ranks.ts'
import { weightedIndexes } from '../random/weighted.ts'
import type { KeyLaw } from './key-law.ts'
import type { KeySpace } from './key-space.ts'
import { exactScrambled, mostKeyNumbers, ycsbScrambled } from './scrambled.ts'

/** Draws the numbers of keys for operations on keys that exist. */
export interface KeyChooser {
  /** The law in words, for the result: `latest (law of YCSB, θ = 0.99)`. */
  readonly law: string
  /**
   * The number of the next key.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` while no key exists
   */
  next(): number
}

/** The keys to choose from, and how. */
export interface KeyChooserOptions {
  readonly space: KeySpace
  readonly random: Random
  /**
   * Inserts that the run is going to make, for laws that scatter popular keys over all of them: a key beyond is never
   * drawn. YCSB expects twice as many as the mix says.
   * @default 0
   */
  readonly expectedInserts?: number | undefined
}

/** A number that may not exist (yet), and a description. */
interface Draw {
  readonly law: string
  readonly draw: () => number
}

/** Draws that may be in vain. The most skewed law over the emptiest table in use needs a few hundred. */
const MOST_DRAWS = 10_000

/** A chooser of keys by a law. Every draw is of a key that exists: others are drawn again. */
export function keyChooser(law: KeyLaw, options: KeyChooserOptions): KeyChooser {
  const { space, random } = options
  const { law: words, draw } = drawOf(law, options)
  const next = (): number => {
    if (space.last < space.first)
      throw invalidArgument('No key exists that an operation could use. Load some records first.')
    for (let draws = 0; draws < MOST_DRAWS; draws++) {
      const number = draw()
      if (space.has(number)) return number
    }
    return existing(space, random)
  }
  return { law: words, next }
}

function drawOf(law: KeyLaw, options: KeyChooserOptions): Draw {
  const { space, random } = options
  switch (law.kind) {
    case 'uniform':
      return { law: 'uniform', draw: () => space.first + Math.floor(random.next() * space.count) }
    case 'sequential':
      return sequential(space)
    case 'zipfian':
      return law.scrambled ? scrambled(law, options) : zipfian(law, options)
    case 'latest':
      return latest(law, options)
    case 'hotspot':
      return hotspot(law, options)
    case 'exponential':
      return exponential(law, options)
    case 'histogram':
      return histogram(law, options)
  }
}

function sequential(space: KeySpace): Draw {
  let number = space.first - 1
  const draw = (): number => {
    number = number < space.last ? number + 1 : space.first
    return number
  }
  return { law: 'sequential', draw }
}

function zipfian(law: Of<'zipfian'>, { space, random }: KeyChooserOptions): Draw {
  const ranks = zipfRanks(law, random)
  return {
    law: `zipfian (${zipfText(law)}, first keys most popular)`,
    draw: () => space.first + ranks(space.count),
  }
}

function scrambled(law: Of<'zipfian'>, { space, random, expectedInserts = 0 }: KeyChooserOptions): Draw {
  const isYcsb = law.law === 'ycsb'
  // YCSB scatters over one number more than there can be keys
  const items = Math.max(1, space.count) + expectedInserts + (isYcsb ? 1 : 0)
  if (items > mostKeyNumbers)
    throw invalidArgument(
      `${items} keys are too many for a scrambled Zipf law: it takes ${mostKeyNumbers} at most.`,
    )
  const offset = (isYcsb ? ycsbScrambled : exactScrambled)(law.theta, items, random)
  return {
    law: `zipfian (${zipfText(law)}, scrambled over ${items} numbers)`,
    draw: () => space.first + offset(),
  }
}

function latest(law: Of<'latest'>, { space, random }: KeyChooserOptions): Draw {
  const ranks = zipfRanks(law, random)
  const leftOut = law.law === 'ycsb' ? 1 : 0
  return {
    law: `latest (${zipfText(law)})`,
    draw: () => space.last - ranks(Math.max(1, space.count - leftOut)),
  }
}

function hotspot(law: Of<'hotspot'>, { space, random }: KeyChooserOptions): Draw {
  const draw = (): number => {
    const hot = Math.floor(space.count * law.dataFraction)
    const cold = space.count - hot
    const isHot = cold === 0 || (hot > 0 && random.next() < law.operationFraction)
    return space.first + Math.floor(random.next() * (isHot ? hot : cold)) + (isHot ? 0 : hot)
  }
  const percent = (share: number): string => `${Number((share * 100).toPrecision(6))} %`
  return {
    law: `hotspot (${percent(law.operationFraction)} of operations on ${percent(law.dataFraction)} of keys)`,
    draw,
  }
}

function exponential(law: Of<'exponential'>, { space, random }: KeyChooserOptions): Draw {
  const range = Math.max(1, space.count) * law.fraction
  const gamma = -Math.log1p(-law.percentile / 100) / range
  return {
    law: `exponential (${law.percentile} % of operations on the newest ${Math.round(range)} keys)`,
    draw: () => space.last - Math.floor(-Math.log1p(-random.next()) / gamma),
  }
}

function histogram(law: Of<'histogram'>, { space, random }: KeyChooserOptions): Draw {
  const bucket = weightedIndexes(law.buckets, random)
  const draw = (): number =>
    space.first + bucket() * law.blockSize + Math.floor(random.next() * law.blockSize)
  return { law: `histogram (${law.buckets.length} buckets of ${law.blockSize} keys)`, draw }
}

type Of<K extends KeyLaw['kind']> = Extract<KeyLaw, { readonly kind: K }>

/** A key that exists, for a law that hardly ever draws one: each alike, or the one before a gap. */
function existing(space: KeySpace, random: Random): number {
  let number = space.first + Math.floor(random.next() * space.count)
  while (number >= space.first && !space.has(number)) number -= 1
  return number < space.first ? space.last : number
}
