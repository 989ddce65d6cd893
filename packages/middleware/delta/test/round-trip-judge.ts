import { crc32 } from 'node:zlib'
import { Random } from '@unikv/test-kit/schedules'
import { type Pair, randomPair } from './pairs.ts'
import { equal, outcomeOf, type Subject } from './subject.ts'

/** What is wrong with a subject, by pairs of this seed: sentences, at most three. */
export function judgeRoundTrips(subject: Subject, seed: number, pairs: number): readonly string[] {
  const random = new Random(seed)
  const findings: string[] = []
  for (let i = 0; i < pairs && findings.length < 3; i++) {
    // Most are small; of every thousand one is larger than the windows and steps change at.
    const pair = randomPair(random, i % 1000 === 999 ? 50_000 : 600)
    const finding = findingOf(subject, pair, random)
    if (finding !== undefined) findings.push(`pair ${i} of seed ${seed}: ${finding}`)
  }
  return findings
}

function findingOf(subject: Subject, { base, target, options }: Pair, random: Random): string | undefined {
  const sums = [crc32(base), crc32(target)]
  const delta = outcomeOf(() => subject.diff(base, target, options))
  if (typeof delta === 'string') return `diff ${delta}`
  if (delta.length > target.length + 20) return 'the delta is longer than the target and 20 bytes'
  const result = outcomeOf(() => subject.patch(base, delta))
  if (typeof result === 'string') return `patch ${result}`
  if (!equal(result, target)) return 'the target is another'
  if (crc32(base) !== sums[0] || crc32(target) !== sums[1]) return 'an argument was changed'
  if (random.chance(0.1) && !equal(subject.diff(base, target, options), delta))
    return 'the delta differs when made again'
  return base.length === 0 ? undefined : findingOfOtherBase(subject, base, target, delta, random)
}

/** Another base of the same length is refused, unless it gives the very same target. */
function findingOfOtherBase(
  subject: Subject,
  base: Buffer,
  target: Buffer,
  delta: Uint8Array,
  random: Random,
): string | undefined {
  const other = Buffer.from(base)
  const at = random.below(base.length)
  other[at] = (other[at] as number) ^ (1 + random.below(255))
  const result = outcomeOf(() => subject.patch(other, delta))
  if (result === 'CORRUPT' || (typeof result !== 'string' && equal(result, target))) return undefined
  return `another base gives ${typeof result === 'string' ? result : 'another target'}`
}
