import { performance } from 'node:perf_hooks'
import { crc32 } from 'node:zlib'
import { Random } from '@unikv/test-kit/schedules'
import { randomBase, randomPair } from './pairs.ts'
import { equal, outcomeOf, real, type Subject } from './subject.ts'

/** A delta from somewhere, the base it is tried on, and the targets that it may give. */
interface Attempt {
  readonly kind: string
  readonly base: Buffer
  readonly delta: Buffer
  readonly targets: readonly Buffer[]
}

interface Made {
  readonly base: Buffer
  readonly target: Buffer
  readonly delta: Buffer
}

export interface Verdict {
  /** What is wrong, at most three sentences. */
  readonly findings: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  /** Most bytes that buffers grew by between two looks. */
  readonly grownBytes: number
}

const slowMs = 100
const mostGrownBytes = 64 * 1_048_576
const prototypes = [Object.prototype, Uint8Array.prototype, Buffer.prototype, Array.prototype]

/** Try a subject with hostile deltas of this seed. */
export function judgeHostile({ patch }: Subject, seed: number, inputs: number): Verdict {
  const random = new Random(seed)
  const made = Array.from({ length: 60 }, (_, i) => make(random, i))
  const membersBefore = memberCount()
  const findings: string[] = []
  const counts: Record<string, number> = {}
  const bytesBefore = process.memoryUsage().arrayBuffers
  let grownBytes = 0
  for (let i = 0; i < inputs && findings.length < 3; i++) {
    const attempt = attempts[i % attempts.length]?.(random, made) as Attempt
    const startedAt = performance.now()
    const outcome = outcomeOf(() => patch(attempt.base, attempt.delta))
    const slow = performance.now() - startedAt > slowMs && isSlow(patch, attempt)
    if (i % 64 === 0 || attempt.kind === 'lying lengths')
      grownBytes = Math.max(grownBytes, process.memoryUsage().arrayBuffers - bytesBefore)
    if (grownBytes > mostGrownBytes)
      return { findings: [`buffers grew by ${grownBytes} bytes`], counts, grownBytes }
    const finding = slow ? `takes over ${slowMs} ms` : findingOf(attempt, outcome)
    if (finding !== undefined) findings.push(`input ${i} of seed ${seed}, ${attempt.kind}: ${finding}`)
    const result = typeof outcome === 'string' ? outcome.slice(0, 20) : 'a target'
    counts[result] = (counts[result] ?? 0) + 1
  }
  if (memberCount() !== membersBefore) findings.push('a prototype was changed')
  return { findings, counts, grownBytes }
}

function findingOf({ delta, targets }: Attempt, outcome: Uint8Array | string): string | undefined {
  if (outcome === 'CORRUPT' || outcome === 'VALUE_TOO_LARGE') return undefined
  if (typeof outcome === 'string') return outcome
  if (targets.some((target) => equal(target, outcome))) return undefined
  // By chance a delta can be a right one, if its own checksum says so.
  const told = delta.includes(checksumOf(outcome))
  return told ? undefined : 'gives a target that no writer meant'
}

function checksumOf(bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))
  return checksum
}

/** Whether it is slow each time, and not the machine busy. */
function isSlow(patch: Subject['patch'], { base, delta }: Attempt): boolean {
  return Array.from({ length: 3 }).every(() => {
    const startedAt = performance.now()
    outcomeOf(() => patch(base, delta))
    return performance.now() - startedAt > slowMs
  })
}

const memberCount = (): number => prototypes.flatMap((prototype) => Reflect.ownKeys(prototype)).length

function make(random: Random, i: number): Made {
  const { base, target, options } = randomPair(random, i % 10 === 0 ? 65_536 : 800)
  return { base, target, delta: Buffer.from(real.diff(base, target, options)) }
}

const attempts: readonly ((random: Random, made: readonly Made[]) => Attempt)[] = [
  (random, made) => {
    const { base } = random.pick(made)
    return { kind: 'random bytes', base, delta: noise(random, random.below(200)), targets: [] }
  },
  (random, made) => {
    const { base } = random.pick(made)
    const header = headerOf(random.below(1000), base.length, noise(random, 4))
    return {
      kind: 'random behind a header',
      base,
      delta: Buffer.concat([header, noise(random, random.below(60))]),
      targets: [],
    }
  },
  (random, made) => {
    const one = random.pick(made)
    const delta = Buffer.from(one.delta)
    for (let flips = 1 + random.below(random.pick([1, 8])); flips > 0; flips--) {
      const at = random.below(random.chance(0.5) ? delta.length : Math.min(24, delta.length))
      delta[at] = (delta[at] as number) ^ (1 << random.below(8))
    }
    return { kind: 'flipped bits', base: one.base, delta, targets: [one.target] }
  },
  (random, made) => {
    const one = random.pick(made)
    const at = random.below(one.delta.length + 1)
    const cut = at + random.below(random.pick([1, 3, 40]))
    const added = noise(random, random.below(random.pick([2, 6, 40])))
    const delta = Buffer.concat([one.delta.subarray(0, at), added, one.delta.subarray(cut)])
    return { kind: 'cut and extended', base: one.base, delta, targets: [one.target] }
  },
  (random, made) => {
    const [one, other] = [random.pick(made), random.pick(made)]
    const [at, from] = [random.below(one.delta.length + 1), random.below(other.delta.length + 1)]
    const delta = Buffer.concat([one.delta.subarray(0, at), other.delta.subarray(from)])
    return { kind: 'spliced', base: one.base, delta, targets: [one.target, other.target] }
  },
  (random, made) => {
    const [one, other] = [random.pick(made), random.pick(made)]
    return { kind: 'base of another', base: other.base, delta: one.delta, targets: [one.target] }
  },
  (random, made) => {
    const one = random.pick(made)
    const base = randomBase(random, one.base.length)
    return { kind: 'another base as long', base, delta: one.delta, targets: [one.target] }
  },
  (random, made) => {
    const one = random.pick(made)
    const bodyAt = varint(one.target.length).length + varint(one.base.length).length + 1
    const length = random.chance(0.5) ? extreme(random) : one.target.length + random.below(40) - 20
    const baseLength = random.chance(0.7) ? one.base.length : extreme(random)
    const header = Buffer.concat([Buffer.from([0xf8]), varint(Math.max(0, length)), varint(baseLength)])
    return {
      kind: 'lying lengths',
      base: one.base,
      delta: Buffer.concat([header, one.delta.subarray(bodyAt)]),
      targets: [one.target],
    }
  },
  (random, made) => {
    const { base } = random.pick(made)
    const length = random.chance(0.5) ? random.below(5000) : extreme(random)
    const parts = Array.from({ length: random.below(40) }, () => wildInstruction(random))
    const delta = Buffer.concat([headerOf(length, base.length, noise(random, 4)), ...parts])
    return { kind: 'wild instructions', base, delta, targets: [] }
  },
]

function wildInstruction(random: Random): Buffer {
  const length = random.chance(0.9) ? random.below(8) : extreme(random)
  const moved = random.below(2)
  return Buffer.concat([
    varint((2 * length + moved) % 2 ** 32),
    noise(random, Math.min(length, 8)),
    varint(random.chance(0.9) ? random.below(40) : extreme(random)),
    moved === 1 ? varint(random.chance(0.7) ? random.below(200) : extreme(random)) : Buffer.alloc(0),
  ])
}

/** A number near one that matters: a power of two, a limit. */
function extreme(random: Random): number {
  const near = random.pick([0, 2 ** 7, 2 ** 14, 2 ** 16, 2 ** 26, 2 ** 28, 2 ** 30, 2 ** 31, 2 ** 32])
  return Math.min(2 ** 32 - 1, Math.max(0, near + random.below(5) - 2))
}

const headerOf = (length: number, baseLength: number, checksum: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xf8]), varint(length), varint(baseLength), checksum])

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

function noise(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = random.below(256)
  return bytes
}
