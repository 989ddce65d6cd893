import {
  type Bytes,
  compose,
  isEntry,
  isStoreError,
  isWritten,
  type Mutation,
  newVersion,
  type ReadResult,
  type Store,
  StoreError,
} from '@unikv/core'
import {
  callOptions,
  checkFactoryOptions,
  checkMs,
  internalKey,
  type OptionNames,
  ownNumbers,
  ownSignal,
} from '@unikv/core/adapter'
import { performance, wallClock } from '@unikv/core/platform'
import { readHead } from './chain/head.ts'
import { partNameOf, partsOf } from './chain/parts.ts'
import { strongest } from './step.ts'

/** Settings of `sweepDeltas`. */
export interface SweepOptions {
  /**
   * How old a part must be to be removed, in milliseconds by the wall clock: longer than any call can last, late
   * effects and the difference between the clocks of all writers included.
   *
   * @default 3,600,000
   */
  readonly graceMs?: number | undefined
  /** Deadline of each request in milliseconds. @default 30,000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/** The result of a sweep. */
export interface Swept {
  /** Parts that were met. */
  readonly parts: number
  /** Parts that no head names and that were removed. */
  readonly removed: number
  /** Parts that no head names and that are too young, or whose head could not be read or understood. */
  readonly left: number
}

/** A part, with what its key tells. */
interface Part {
  readonly key: string
  readonly owner: string
  readonly writtenAt: number
}

const pageSize = 1000

const optionNames: OptionNames<SweepOptions> = { graceMs: true, timeoutMs: true, signal: true, clock: true }

/**
 * Remove the parts of chains that no head names: what crashed writers left, and writers who did not know what they
 * replaced. Safe while others read and write.
 *
 * ```ts
 * const stored = compose(store, [compression()])     // all that is below the delta layer
 * await sweepDeltas(stored)
 * ```
 *
 * @param below The stack as the delta layer sees it.
 * @throws {StoreError} `UNSUPPORTED` for a store that cannot list its keys, and the errors of listing
 */
export async function sweepDeltas(below: Store<Bytes>, options: SweepOptions = {}): Promise<Swept> {
  checkFactoryOptions('sweepDeltas', options, optionNames)
  const { capabilities } = below
  if (capabilities.scan === false)
    throw new StoreError('UNSUPPORTED', `${below.name} does not list its keys, so nothing can be swept.`)
  const sweep = new DeltaSweep(below, options)
  sweep.refuseAborted()
  const prefix = capabilities.scan.prefix === 'indexed' ? partPrefix : ''
  const range = { prefix, pageSize, values: false }
  for await (const page of below.scan(range, sweep.call())) {
    sweep.refuseAborted()
    await sweep.sweep(page.entries.map(({ key }) => key))
  }
  return sweep.swept
}

/** What the key of every part begins with. */
const partPrefix = internalKey('delta', '').slice(0, 2)

class DeltaSweep {
  readonly swept = { parts: 0, removed: 0, left: 0 }
  readonly #below: Store<Bytes>
  readonly #options: SweepOptions
  readonly #youngest: number

  constructor(below: Store<Bytes>, options: SweepOptions) {
    const { graceMs = 3_600_000, timeoutMs = 30_000 } = options
    const clock = ownNumbers('sweepDeltas', 'clock', options.clock, wallClock)
    checkMs({ graceMs, timeoutMs })
    this.#below = compose(below, [])
    this.#options = { ...options, timeoutMs, signal: ownSignal(options.signal) }
    this.#youngest = clock() - graceMs
  }

  refuseAborted(): void {
    const { signal } = this.#options
    if (signal?.aborted !== true) return
    const { removed: done } = this.swept
    const message = `The sweep was aborted; ${done} parts of deltas were removed before.`
    throw new StoreError('ABORTED', message, { operation: 'sweepDeltas', cause: signal.reason, done })
  }

  call() {
    const { signal, timeoutMs } = this.#options
    const limits = { deadlineAt: performance.now() + (timeoutMs as number) }
    return callOptions(signal === undefined ? limits : { ...limits, signal })
  }

  /** Look at the parts among these keys. */
  async sweep(keys: readonly string[]): Promise<void> {
    const parts = keys.flatMap(partOf)
    this.swept.parts += parts.length
    const named = await this.#named(new Set(parts.map(({ owner }) => owner)))
    const orphans = parts.filter(({ key, owner }) => named.get(owner)?.has(key) !== true)
    const old = orphans.filter(({ owner, writtenAt }) => named.has(owner) && writtenAt < this.#youngest)
    const removed = old.length === 0 ? 0 : await this.#remove(old)
    this.swept.removed += removed
    this.swept.left += orphans.length - removed
  }

  /** The parts that the heads of these keys name; nothing for a head that cannot be read. */
  async #named(owners: ReadonlySet<string>): Promise<Map<string, ReadonlySet<string>>> {
    const named = new Map<string, ReadonlySet<string>>()
    if (owners.size === 0) return named
    const keys = Array.from(owners)
    const heads = await this.#below.read(
      keys.map((key) => ({ key })),
      // A head that a cache has kept names parts of yesterday, and today's would be taken for orphans.
      strongest(this.#below, this.call()),
    )
    for (const [i, key] of keys.entries()) {
      const names = namesOf(key, heads[i])
      if (names !== undefined) named.set(key, names)
    }
    return named
  }

  async #remove(parts: readonly Part[]): Promise<number> {
    const { maxItems } = this.#below.capabilities.batch
    let removed = 0
    for (let i = 0; i < parts.length; i += maxItems) {
      const mutations = parts
        .slice(i, i + maxItems)
        .map(({ key }): Mutation<Bytes> => ({ type: 'delete', key, version: newVersion() }))
      removed += (await this.#below.write(mutations, this.call())).filter(isWritten).length
    }
    return removed
  }
}

function partOf(key: string): Part[] {
  const name = partNameOf(key)
  return name === undefined
    ? []
    : [{ key, owner: name.owner, writtenAt: Number.parseInt(name.id.slice(0, 12), 16) }]
}

/** An absent head names nothing. Of what is no head, or a damaged one, nothing is known: perhaps this is the wrong stack. */
function namesOf(key: string, head: ReadResult<Bytes>): ReadonlySet<string> | undefined {
  if (head === undefined) return new Set()
  if (isStoreError(head) || !isEntry(head)) return undefined
  try {
    const read = readHead(key, head.value)
    return new Set(read.kind === 'chain' ? partsOf(key, read) : [])
  } catch {
    return undefined
  }
}
