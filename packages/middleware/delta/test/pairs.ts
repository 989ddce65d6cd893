import type { Random } from '@unikv/test-kit/schedules'
import type { DiffOptions } from '../src/index.ts'

/** A base, its target, and settings to compare them with. */
export interface Pair {
  readonly base: Buffer
  readonly target: Buffer
  readonly options: DiffOptions
}

/** A base of one of many kinds, and a target that up to twelve edits made of it. */
export function randomPair(random: Random, longest = 600): Pair {
  const base = randomBase(random, lengthOf(random, longest))
  let target: Buffer = random.chance(0.02) ? randomBase(random, lengthOf(random, longest)) : base
  for (let edits = random.below(13); edits > 0; edits--) target = edited(random, base, target)
  return { base, target, options: randomOptions(random) }
}

/** Bytes of few or many values, of a short period, or of repeated parts. */
export function randomBase(random: Random, length: number): Buffer {
  const period = random.chance(0.3) ? 1 + random.below(70) : length
  const values = random.pick([1, 2, 4, 26, 256, 256])
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++)
    bytes[at] = at < period ? 97 + random.below(values) : (bytes[at - period] as number)
  return bytes
}

const lengthOf = (random: Random, longest: number): number =>
  random.chance(0.1) ? random.below(12) : random.below(longest)

/** One edit, of a kind and at a place that chance picks. */
function edited(random: Random, base: Buffer, target: Buffer): Buffer {
  const from = random.below(target.length + 1)
  const to = Math.min(target.length, from + random.below(random.pick([2, 10, 100])))
  const [before, part, after] = [target.subarray(0, from), target.subarray(from, to), target.subarray(to)]
  const place = random.below(base.length + 1)
  const fresh = randomBase(random, random.below(random.pick([2, 10, 100])))
  return Buffer.concat(
    random.pick([
      [before, fresh, after],
      [before, after],
      [before, fresh, part, after],
      [after, before],
      [before, part, part, after],
      [before, base.subarray(place, place + random.below(80)), after],
      [before, randomBase(random, part.length), after],
      [fresh, target, fresh],
    ]),
  )
}

function randomOptions(random: Random): DiffOptions {
  if (random.chance(0.5)) return {}
  const windowSize = 4 + random.below(random.pick([3, 16, 80]))
  return random.chance(0.3)
    ? { windowSize }
    : { windowSize, step: 1 + random.below(random.pick([2, 20, 100])) }
}
