import type { Random } from '../random/random.ts'
import { zipfRanks, zipfText } from '../random/ranks.ts'
import { weightedIndexes } from '../random/weighted.ts'
import type { LengthLaw } from './length-law.ts'

/** Draws lengths. */
export interface Lengths {
  /** The law in words, for the result: `uniform from 100 to 1000`. */
  readonly law: string
  /** The next length, at least 1. */
  next(): number
}

/** Lengths by a law. */
export function lengths(law: LengthLaw, random: Random): Lengths {
  const one = drawOf(law, random)
  const fields = 'fields' in law ? (law.fields ?? 1) : 1
  if (fields === 1) return one
  const next = (): number => {
    let sum = 0
    for (let field = 0; field < fields; field++) sum += one.next()
    return sum
  }
  return { law: `${fields} fields, each ${one.law}`, next }
}

function drawOf(law: LengthLaw, random: Random): Lengths {
  switch (law.kind) {
    case 'constant':
      return { law: String(law.length), next: () => law.length }
    case 'uniform': {
      const { least, most } = law
      const width = most - least + 1
      return {
        law: `uniform from ${least} to ${most}`,
        next: () => least + Math.floor(random.next() * width),
      }
    }
    case 'zipfian': {
      const { least, most } = law
      const ranks = zipfRanks(law, random)
      const width = most - least + 1
      return { law: `zipfian from ${least} to ${most} (${zipfText(law)})`, next: () => least + ranks(width) }
    }
    case 'lognormal':
      return lognormal(law, random)
    case 'histogram': {
      const bucket = weightedIndexes(law.buckets, random)
      return {
        law: `histogram (${law.buckets.length} buckets of ${law.blockSize})`,
        next: () => (bucket() + 1) * law.blockSize,
      }
    }
  }
}

function lognormal(law: Extract<LengthLaw, { kind: 'lognormal' }>, random: Random): Lengths {
  const { median, sigma, most } = law
  const next = (): number => {
    for (;;) {
      const length = Math.max(1, Math.round(median * Math.exp(sigma * normal(random))))
      if (length <= most) return length
    }
  }
  return { law: `lognormal around ${median} (σ = ${sigma}, at most ${most})`, next }
}

/** A number of the standard normal law (Box and Muller). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log1p(-random.next())) * Math.cos(2 * Math.PI * random.next())
}
