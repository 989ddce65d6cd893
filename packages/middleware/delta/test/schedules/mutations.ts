import type { Bytes, Entry, Mutation } from '@unikv/core'
import type { Random } from '@unikv/test-kit/schedules'

/** What mutations go by. */
export interface MutationsOf {
  readonly random: Random
  readonly clock: () => number
  /** What is stored now. */
  readonly present: () => ReadonlyMap<string, Entry<Bytes>>
  /** Whether values may end. */
  readonly expiry: boolean
}

/** Random mutations, each with a version of its own that its value tells. */
export class Mutations {
  /** Versions of the writes that have no condition. */
  readonly free = new Set<string>()
  readonly #of: MutationsOf
  #versions = 0

  constructor(of: MutationsOf) {
    this.#of = of
  }

  /** One of a key. */
  random(key: string): Mutation<Bytes> {
    const { random, clock, expiry, present } = this.#of
    const version = this.#newVersion()
    const there = present().get(key)?.version ?? null
    const ifVersion = random.chance(0.35) ? (random.chance(0.8) ? there : this.#newVersion()) : undefined
    if (ifVersion === undefined) this.free.add(version)
    if (random.chance(0.08)) return { type: 'delete', key, version, ifVersion }
    const end = clock() + 1 + random.below(2_000)
    const expiresAt = expiry ? random.pick([undefined, end, 'keep'] as const) : undefined
    return { type: 'set', key, version, ifVersion, expiresAt, value: valueOf(version, random) }
  }

  /** The removal of a record, as `clear` does it. */
  removal(key: string): Mutation<Bytes> {
    const version = this.#newVersion()
    this.free.add(version)
    return { type: 'delete', key, version }
  }

  /** The same for the same seed, as values tell it and deltas are as long as they differ. */
  #newVersion(): string {
    return (++this.#versions).toString(16).padStart(24, '0')
  }
}

const filler = 'what does not change from one version to the next, or now and then a little. '

/** Some 700 bytes that tell their version at both ends. */
function valueOf(version: string, random: Random): Bytes {
  const middle = random.chance(0.05) ? `${random.next()}`.repeat(40) : filler.repeat(8 + random.below(2))
  return Buffer.from(`${version} ${middle} ${version}`)
}
