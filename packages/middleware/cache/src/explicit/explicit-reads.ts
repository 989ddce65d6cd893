import { type Awaitable, type Entry, isEntry, isStoreError, type ReadResult, StoreError } from '@unikv/core'
import { type Call, within } from '@unikv/core/adapter'
import type { Loader } from '../loaded.ts'
import { Failure } from '../loads/answer.ts'
import { Due } from '../loads/due.ts'
import { type KeyLoader, keptOnly, Loading, loadings } from '../loads/loading.ts'
import { keyOf } from '../tags/tag-names.ts'
import { type BulkLoader, oneByOne } from './bulk-load.ts'
import { type CachedOptions, checkCall } from './explicit-options.ts'
import type { ExplicitParts } from './explicit-parts.ts'

type Finish = (entry: Entry<unknown> | undefined) => unknown

/** The calls of an explicit cache that answer. */
export class ExplicitReads<V> {
  readonly #parts: ExplicitParts
  readonly #renews: boolean

  constructor(parts: ExplicitParts) {
    this.#parts = parts
    this.#renews = parts.settings.near.beta > 0
  }

  /** A hit costs a look and a promise. */
  cached(
    operation: string,
    key: string,
    load: Loader<V>,
    options: CachedOptions | undefined,
    finish: Finish,
  ): Promise<unknown> {
    return promised(() => {
      const { keys, near } = this.#parts
      const canonical = keys.canonical(key)
      if (options !== undefined) this.check(options)
      const due = this.#renews ? new Due() : undefined
      const entry = options?.signal?.aborted === true ? undefined : near.hit(canonical, due)
      if (entry === undefined) return this.load(operation, canonical, load, options ?? {}).then(finish)
      if (due !== undefined && due.reads.length > 0) this.#renew(due, load, options)
      return finish(entry ?? undefined)
    })
  }

  /** Renew due entries behind the answer, before they end. */
  #renew(due: Due, load: Loader<V>, options: CachedOptions = {}): void {
    const { timeoutMs = this.#parts.settings.timeoutMs } = options
    this.#parts.near.renew(due, within(timeoutMs, { facts: loadings.with(new Loading(load, options)) }))
  }

  async cachedMany(
    keys: Iterable<string>,
    loadMany: BulkLoader<V>,
    options: CachedOptions,
  ): Promise<Map<string, unknown>> {
    const asked = this.#parts.keys.many('cachedMany', keys)
    this.check(options)
    if (typeof loadMany !== 'function')
      throw new StoreError('INVALID_ARGUMENT', 'Give a function that loads several keys.')
    const call = this.#call(oneByOne(loadMany, keyOf), options)
    const canonical = Array.from(asked.values())
    const results = await this.#parts.wait('cachedMany', canonical, call, () =>
      this.#parts.near.find(
        canonical.map((key) => ({ key })),
        call,
      ),
    )
    const found = Array.from(asked.keys(), (key, i) => [key, foundIn(results[i])?.value] as const)
    return new Map(found.filter(([, value]) => value !== undefined))
  }

  /** Load a key whose options were checked. */
  async load(
    operation: string,
    key: string,
    load: Loader<V>,
    options: CachedOptions,
    consistency?: string,
  ): Promise<Entry<unknown> | undefined> {
    if (typeof load !== 'function')
      throw new StoreError('INVALID_ARGUMENT', 'Give a function that loads the key.')
    const call = this.#call(load, options, consistency)
    return this.#waitForOne(operation, key, call, () => this.#parts.near.read([{ key }], call))
  }

  #call(load: KeyLoader, options: CachedOptions, consistency?: string): Call {
    const { timeoutMs = this.#parts.settings.timeoutMs, signal } = options
    return within(timeoutMs, { signal, consistency, facts: loadings.with(new Loading(load, options)) })
  }

  /** In this process, else in the second tier, as what is kept only. */
  get(operation: string, key: string, finish: Finish): Promise<unknown> {
    return promised(() => {
      const { keys, near, below, settings } = this.#parts
      const canonical = keys.canonical(key)
      const hit = near.glance(canonical)
      if (hit !== undefined || below === undefined) return finish(hit ?? undefined)
      const call = within(settings.timeoutMs, { consistency: keptOnly })
      const read = () => below.read([{ key: canonical }], call)
      return near.look(canonical, () => this.#waitForOne(operation, canonical, call, read)).then(finish)
    })
  }

  peek(key: string): unknown {
    return valueOf(this.#parts.near.glance(this.#parts.keys.canonical(key)) ?? undefined)
  }

  async #waitForOne(
    operation: string,
    key: string,
    call: Call,
    ask: () => Awaitable<readonly ReadResult<unknown>[]>,
  ): Promise<Entry<unknown> | undefined> {
    const [result] = await this.#parts.wait(operation, [key], call, ask)
    return foundIn(result)
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` for options that no call of this cache takes */
  check(options: CachedOptions): void {
    checkCall(options, this.#parts.below !== undefined)
  }
}

/** The answer as a promise, also if there is none. */
export function promised<T>(run: () => Awaitable<T>): Promise<T> {
  try {
    return Promise.resolve(run())
  } catch (error) {
    return Promise.reject(error) // oxlint-disable-line prefer-promise-reject-errors -- it is one, caught
  }
}

/** Answer of `cached`. */
export function valueOf(entry: Entry<unknown> | undefined): unknown {
  return entry?.value
}

/** Answer of `cachedEntry`. */
export function entryItself(entry: Entry<unknown> | undefined): Entry<unknown> | undefined {
  return entry
}

/** @throws what the item is, or failed with */
function foundIn(result: ReadResult<unknown> | Failure): Entry<unknown> | undefined {
  if (result instanceof Failure) throw result.error
  if (isStoreError(result)) throw result
  return result !== undefined && isEntry(result) ? result : undefined
}
