import { type Bytes, isStoreError, type ReadResult, StoreError } from '@unikv/core'
import { kindOf, within } from '@unikv/core/adapter'
import type { Pair } from './repair.ts'
import { compareRecords } from './same-record.ts'
import type { Side } from './side.ts'

/** How one key differs. `unreadable`: a side could not be read. */
export type Difference = 'missing' | 'extra' | 'different' | 'unreadable'

/** Settings of `verify` and `resync`. */
export interface ComparisonOptions {
  /** Compare values too, not versions alone. @default false */
  readonly bytes?: boolean | undefined
  /** Only canonical keys that start so. @default '': all */
  readonly prefix?: string | undefined
  /** Most keys in `examples`. @default 20 */
  readonly maxExamples?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** @throws {StoreError} `INVALID_ARGUMENT` */
export function checkComparison({ bytes, prefix, maxExamples }: ComparisonOptions): void {
  refuseUnless(bytes === undefined || typeof bytes === 'boolean', 'bytes must be true or false', bytes)
  const isText = prefix === undefined || (typeof prefix === 'string' && prefix.isWellFormed())
  refuseUnless(isText, 'prefix must be a well-formed string', prefix)
  const isCount = maxExamples === undefined || (Number.isSafeInteger(maxExamples) && maxExamples >= 0)
  refuseUnless(isCount, 'maxExamples must be a whole number from 0 on', maxExamples)
}

function refuseUnless(holds: boolean, message: string, given: unknown): void {
  if (holds) return
  const got = typeof given === 'number' ? given : kindOf(given)
  throw new StoreError('INVALID_ARGUMENT', `${message}; got ${got}.`)
}

/** The result of `verify`. */
export interface Comparison {
  /** Keys of the primary that were compared. */
  readonly keys: number
  readonly same: number
  /** In the primary alone. */
  readonly missing: number
  /** In both, with another version, expiry or (with `bytes`) value. */
  readonly different: number
  /** In the secondary alone; `undefined` if it cannot list its keys. */
  readonly extra: number | undefined
  readonly unreadable: number
  /** Those of all these that are owed to the secondary at the moment, so that their repair is under way. */
  readonly owed: number
  /** Canonical keys, as the stores have them. */
  readonly examples: readonly { readonly key: string; readonly difference: Difference }[]
}

/** A key that differs. */
export interface Differing {
  readonly key: string
  readonly difference: Difference
}

/** Keys that are looked at together; fewer with their values. */
const pageSize = 256
const pageSizeWithValues = 32
/** Longest wait for a page of keys, or for a look at it. */
const pageTimeoutMs = 30_000

/** Both stores, walked side by side. */
export class Walk {
  readonly #pair: Pair
  readonly #options: ComparisonOptions

  constructor(pair: Pair, options: ComparisonOptions) {
    this.#pair = pair
    this.#options = options
  }

  /** Keys of a side, page by page. */
  async *keys({ store }: Side): AsyncGenerator<readonly string[]> {
    const { prefix = '', bytes, signal } = this.#options
    if (store.capabilities.scan === false) {
      const message = `${store.name} cannot list its keys, which this operation needs.`
      throw new StoreError('UNSUPPORTED', message, { store: store.name })
    }
    const range = { prefix, pageSize: bytes === true ? pageSizeWithValues : pageSize, values: false }
    refuseAborted(signal)
    const call = within(pageTimeoutMs, { signal })
    for await (const { entries } of store.scan(range, call)) {
      refuseAborted(signal)
      yield entries.map(({ key }) => key)
      call.renew(pageTimeoutMs) // the next page has a deadline of its own
    }
  }

  /** Those of the keys that differ. Differences are looked at twice, as a write may have been on its way. */
  async differing(keys: readonly string[]): Promise<readonly Differing[]> {
    const first = await this.#compare(keys)
    return first.length === 0 ? first : this.#compare(first.map(({ key }) => key))
  }

  async #compare(keys: readonly string[]): Promise<readonly Differing[]> {
    if (keys.length === 0) return []
    const { bytes = false } = this.#options
    const [there, here] = await this.#look(keys, !bytes)
    const differing: Differing[] = []
    const open: string[] = []
    for (const [i, key] of keys.entries()) {
      const found = this.#difference(here[i], there[i], bytes)
      if (found === 'values needed') open.push(key)
      else if (found !== undefined) differing.push({ key, difference: found })
    }
    if (open.length === 0) return differing
    const [thereToo, hereToo] = await this.#look(open, false)
    for (const [i, key] of open.entries()) {
      const found = this.#difference(hereToo[i], thereToo[i], true)
      if (found !== undefined && found !== 'values needed') differing.push({ key, difference: found })
    }
    return differing
  }

  /** The secondary first: what it gets while it is looked at is in the primary already. */
  async #look(keys: readonly string[], head: boolean): Promise<readonly [Results, Results]> {
    const reads = keys.map((key) => ({ key, head }))
    const { primary, secondary } = this.#pair
    return [await secondary.read(reads, pageTimeoutMs), await primary.read(reads, pageTimeoutMs)]
  }

  #difference(
    here: ReadResult<Bytes>,
    there: ReadResult<Bytes>,
    bytes: boolean,
  ): Difference | 'values needed' | undefined {
    if (isStoreError(here) || isStoreError(there)) return 'unreadable'
    const verdict = compareRecords(here, there, this.#pair.precisionMs, bytes)
    if (verdict === 'same') return undefined
    if (verdict === 'values needed') return verdict
    if (here === undefined) return 'extra'
    return there === undefined ? 'missing' : 'different'
  }
}

type Results = readonly ReadResult<Bytes>[]

/** Findings and repairs made before remain. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  const message = 'Aborted by the signal; repairs made before remain.'
  throw new StoreError('ABORTED', message, { cause: signal.reason })
}
