/*
 * Whether what processes read through their caches was ever older than a write that was acknowledged before they asked. All
 * times are milliseconds of one clock that they share.
 */

/** A write; `value` is unique, `undefined` for a removal. */
export interface Write {
  readonly key: string
  readonly value: string | undefined
  readonly startMs: number
  /** When it was acknowledged; `undefined`: it never was, and may have taken effect at any time, or not. */
  readonly endMs: number | undefined
  /** It was refused: it certainly did not take effect. */
  readonly isRefused?: boolean
  /** It was acknowledged, and other processes may not have been told of it. */
  readonly isUntold?: boolean
}

/** A read that was answered; `value` is `undefined` for absent. */
export interface Seen {
  readonly key: string
  readonly value: string | undefined
  readonly startMs: number
  readonly endMs: number
  /** It was asked of the source. */
  readonly isStrong?: boolean
}

/** What cannot be. */
export interface Violation {
  readonly what: 'older than acknowledged' | 'never written' | 'not yet written'
  readonly seen: Seen
  /** How long before the read the first write was acknowledged that had certainly overwritten what was read. */
  readonly staleForMs: number
}

/**
 * What was read although it cannot have been the truth at any time since the read began. Keys are absent at first.
 * `mustBeSeen`: acknowledged writes that it may not be older than.
 */
export function judge(
  writes: readonly Write[],
  reads: readonly Seen[],
  mustBeSeen: (write: Write) => boolean = () => true,
): readonly Violation[] {
  const written = byKey(writes)
  return Array.from(byKey(reads), ([key, seen]) =>
    new KeyJudge(written.get(key) ?? [], seen, mustBeSeen).violations(),
  ).flat()
}

/** Writes of unknown outcome that somebody has seen, as if they had been acknowledged then. */
export function acknowledgedBySight(writes: readonly Write[], reads: readonly Seen[]): readonly Write[] {
  const seenBy = new Map<string, number>()
  for (const { value, endMs } of reads)
    if (value !== undefined) seenBy.set(value, Math.min(endMs, seenBy.get(value) ?? endMs))
  return writes.map((write) => ({ ...write, endMs: write.endMs ?? seenBy.get(write.value ?? '') }))
}

function byKey<T extends { readonly key: string }>(items: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(item.key)
    if (group === undefined) groups.set(item.key, [item])
    else group.push(item)
  }
  return groups
}

class KeyJudge {
  readonly #reads: readonly Seen[]
  readonly #writes: ReadonlyMap<string, Write>
  readonly #refused: ReadonlySet<string | undefined>
  /** When the value of a write was there at the latest. */
  readonly #thereBy = new Map<string, number>()
  /** Start of the last one to start, of those that were acknowledged until some time. */
  readonly #lastStart: Steps
  /** Latest end of the removals that started until some time. */
  readonly #lastRemoval: Steps
  /** Acknowledged writes: the negated first end, of those that started after some (negated) time. */
  readonly #firstEnd: Steps

  constructor(writes: readonly Write[], reads: readonly Seen[], mustBeSeen: (write: Write) => boolean) {
    this.#reads = reads
    const effective = writes.filter(({ isRefused }) => isRefused !== true)
    this.#refused = new Set(writes.filter(({ isRefused }) => isRefused).map(({ value }) => value))
    this.#writes = new Map(effective.map((write) => [write.value ?? '', write]))
    const acknowledged = effective.filter((write) => write.endMs !== undefined && mustBeSeen(write))
    this.#lastStart = new Steps(acknowledged.map(({ startMs, endMs }) => [endMs as number, startMs]))
    this.#firstEnd = new Steps(acknowledged.map(({ startMs, endMs }) => [-startMs, -(endMs as number)]))
    const removals = effective.filter(({ value }) => value === undefined)
    this.#lastRemoval = new Steps(
      removals.map(({ startMs, endMs }) => [startMs, endMs ?? Number.POSITIVE_INFINITY]),
    )
    for (const { value, endMs } of effective)
      if (value !== undefined && endMs !== undefined) this.#thereBy.set(value, endMs)
    for (const { value, endMs } of reads)
      if (value !== undefined) this.#thereBy.set(value, Math.min(endMs, this.#latest(value)))
  }

  violations(): readonly Violation[] {
    return this.#reads.map((seen) => this.#violation(seen)).filter((one) => one !== undefined)
  }

  #violation(seen: Seen): Violation | undefined {
    const write = this.#writes.get(seen.value ?? '')
    if (seen.value !== undefined) {
      if (write === undefined || this.#refused.has(seen.value))
        return { what: 'never written', seen, staleForMs: 0 }
      if (write.startMs > seen.endMs) return { what: 'not yet written', seen, staleForMs: 0 }
    }
    const until = seen.value === undefined ? this.#lastRemoval.greatest(seen.endMs) : this.#latest(seen.value)
    if (this.#lastStart.greatest(seen.startMs) <= until) return undefined
    return {
      what: 'older than acknowledged',
      seen,
      staleForMs: seen.startMs + this.#firstEnd.greatest(-until),
    }
  }

  #latest(value: string): number {
    return this.#thereBy.get(value) ?? Number.POSITIVE_INFINITY
  }
}

/** The greatest of the values whose time lies before some time. */
class Steps {
  readonly #times: readonly number[]
  readonly #greatest: readonly number[]

  constructor(steps: readonly (readonly [time: number, value: number])[]) {
    const sorted = steps.toSorted(([a], [b]) => a - b)
    this.#times = sorted.map(([time]) => time)
    let greatest = Number.NEGATIVE_INFINITY
    this.#greatest = sorted.map(([, value]) => {
      greatest = Math.max(greatest, value)
      return greatest
    })
  }

  greatest(before: number): number {
    let low = 0
    let high = this.#times.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#times[middle] as number) < before) low = middle + 1
      else high = middle
    }
    return this.#greatest[low - 1] ?? Number.NEGATIVE_INFINITY
  }
}
