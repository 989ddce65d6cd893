import type { Bytes } from '../../contract/bytes.ts'
import { callOptions, type Derivation, derive } from '../../contract/derive.ts'
import { isEntry, isWritten } from '../../contract/entry.ts'
import { isStoreError, StoreError } from '../../contract/errors.ts'
import { ownSignal } from '../../contract/own-signal.ts'
import type { Mutation, ReadResult, Store } from '../../contract/store.ts'
import { newVersion } from '../../contract/version.ts'
import { type InternalKind, internalKey } from '../../keys/canonical-key.ts'
import { any, ms, ownClock } from '../../options/kinds.ts'
import { type OptionsOf, readOptions, type SettingsOf } from '../../options/option-table.ts'
import { performance } from '../../platform/heartbeat.ts'
import { levelPastCaches } from '../../stack/layers-of.ts'

const table = {
  /**
   * How old a part must be to be removed, in milliseconds by the wall clock: longer than any call can last, late
   * effects and the difference between the clocks of all writers included.
   *
   * @default 3,600,000 for deltas, 86,400,000 for parts of values
   */
  graceMs: ms(undefined),
  /** Deadline of each request in milliseconds. @default 30,000 */
  timeoutMs: ms(30_000),
  signal: any<AbortSignal>(),
  /** Wall clock in milliseconds. @default Date.now */
  clock: ownClock(),
}

/** Settings of a sweep of records that layers keep beside those of users. */
export interface OrphanOptions extends OptionsOf<typeof table> {}

/** The result of a sweep. */
export interface SweptOrphans {
  /** Parts that were met. */
  readonly parts: number
  /** Parts that no record names and that were removed. */
  readonly removed: number
  /** Parts that no record names and that are too young, or whose record could not be read or understood. */
  readonly left: number
}

/** The parts that a layer keeps, as a sweep needs to know them. */
export interface OrphanPlan {
  /** The function that its users call. */
  readonly whose: string
  /** For messages, in the plural. */
  readonly what: string
  readonly kind: InternalKind
  readonly graceMs: number
  /** The key of the record that a part belongs to, and the version that was made with it; `undefined`: it is another record. */
  partNameOf(key: string): { readonly owner: string; readonly id: string } | undefined
  /** Says which parts a record names. It throws for a record that it does not understand. */
  namedBy(owner: string, record: Bytes): (part: string) => boolean
}

/** A part, with what its key tells. */
interface Part {
  readonly key: string
  readonly owner: string
  readonly writtenAt: number
}

const pageSize = 1000

/**
 * Remove the parts that no record names: what crashed writers left. Safe while others read and write.
 *
 * @param below The stack as the layer sees it, composed, so that its batches have any size.
 * @throws {StoreError} `UNSUPPORTED` for a store that cannot list its keys, and the errors of listing
 */
export async function sweepOrphans(
  below: Store<Bytes>,
  options: OrphanOptions,
  plan: OrphanPlan,
): Promise<SweptOrphans> {
  const settings = readOptions(plan.whose, table, options)
  const { capabilities } = below
  if (capabilities.scan === false)
    throw new StoreError('UNSUPPORTED', `${below.name} does not list its keys, so nothing can be swept.`)
  const sweep = new OrphanSweep(below, settings, plan)
  sweep.refuseAborted()
  const prefix = capabilities.scan.prefix === 'indexed' ? internalKey(plan.kind, '').slice(0, 2) : ''
  const range = { prefix, pageSize, values: false }
  for await (const page of below.scan(range, sweep.call())) {
    sweep.refuseAborted()
    await sweep.sweep(page.entries.map(({ key }) => key))
  }
  return sweep.swept
}

class OrphanSweep {
  readonly swept = { parts: 0, removed: 0, left: 0 }
  readonly #below: Store<Bytes>
  readonly #plan: OrphanPlan
  readonly #timeoutMs: number
  readonly #signal: AbortSignal | undefined
  readonly #youngest: number

  constructor(below: Store<Bytes>, settings: SettingsOf<typeof table>, plan: OrphanPlan) {
    const { graceMs = plan.graceMs, timeoutMs, signal, clock } = settings
    this.#below = below
    this.#plan = plan
    this.#timeoutMs = timeoutMs
    this.#signal = ownSignal(signal)
    this.#youngest = clock() - graceMs
  }

  refuseAborted(): void {
    const signal = this.#signal
    if (signal?.aborted !== true) return
    const { removed: done } = this.swept
    const { whose: operation, what } = this.#plan
    const message = `The sweep was aborted; ${done} ${what} were removed before.`
    throw new StoreError('ABORTED', message, { operation, cause: signal.reason, done })
  }

  call(how: Derivation = {}) {
    const limits = { deadlineAt: performance.now() + this.#timeoutMs }
    return derive(callOptions(this.#signal === undefined ? limits : { ...limits, signal: this.#signal }), how)
  }

  /** Look at the parts among these keys. */
  async sweep(keys: readonly string[]): Promise<void> {
    const parts = keys.flatMap((key) => this.#partOf(key))
    this.swept.parts += parts.length
    const named = await this.#named(new Set(parts.map(({ owner }) => owner)))
    const orphans = parts.filter(({ key, owner }) => named.get(owner)?.(key) !== true)
    const old = orphans.filter(({ owner, writtenAt }) => named.has(owner) && writtenAt < this.#youngest)
    const removed = old.length === 0 ? 0 : await this.#remove(old)
    this.swept.removed += removed
    this.swept.left += orphans.length - removed
  }

  #partOf(key: string): Part[] {
    const name = this.#plan.partNameOf(key)
    return name === undefined
      ? []
      : [{ key, owner: name.owner, writtenAt: Number.parseInt(name.id.slice(0, 12), 16) }]
  }

  /** The parts that the records of these keys name; nothing for a record that cannot be read. */
  async #named(owners: ReadonlySet<string>): Promise<Map<string, (part: string) => boolean>> {
    const named = new Map<string, (part: string) => boolean>()
    if (owners.size === 0) return named
    const keys = Array.from(owners)
    const records = await this.#below.read(
      keys.map((key) => ({ key })),
      // A record that a cache has kept names parts of yesterday, and today's would be taken for orphans.
      this.call({ consistency: levelPastCaches(this.#below) }),
    )
    for (const [i, key] of keys.entries()) {
      const names = this.#namesOf(key, records[i])
      if (names !== undefined) named.set(key, names)
    }
    return named
  }

  /** An absent record names nothing. Damaged and other records may belong to another stack, so they tell nothing. */
  #namesOf(owner: string, record: ReadResult<Bytes>): ((part: string) => boolean) | undefined {
    if (record === undefined) return () => false
    if (isStoreError(record) || !isEntry(record)) return undefined
    try {
      return this.#plan.namedBy(owner, record.value)
    } catch {
      return undefined
    }
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
