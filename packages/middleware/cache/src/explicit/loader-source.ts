import {
  type Awaitable,
  andThen,
  type CallOptions,
  type Entry,
  isLive,
  isPromise,
  type Mutation,
  type NotModified,
  type Read,
  type ReadResult,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { AbortController } from '@unikv/core/platform'
import type { Counters } from '../cache-stats.ts'
import {
  entryOfLoaded,
  expiryOf,
  invalid,
  type LoadContext,
  Loaded,
  type LoadFacts,
  Unchanged,
} from '../loaded.ts'
import { orThrown } from '../loads/answer.ts'
import { keptOnly, type Loading, loadings } from '../loads/loading.ts'
import { untaggable } from './explicit-options.ts'

/** Settings of the cache that the source needs. */
export interface SourceSettings {
  readonly clock: () => number
  readonly counters: Counters
  /** Whether loaders may tell tags. */
  readonly mayTag: boolean
  /** The entry in this process that a load may revalidate although the tier between did not name it. */
  kept(key: string): Entry<unknown> | undefined
}

/**
 * Shaped like a store at the bottom of a stack, but each key is asked of the loader that its first caller brought along.
 * It holds nothing: a write is no more than what it does to the tiers above.
 */
export class LoaderSource {
  readonly #settings: SourceSettings
  readonly #runs = new Map<string, Set<Run>>()

  constructor(settings: SourceSettings) {
    this.#settings = settings
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<unknown>[]> {
    if (reads.length === 1) return andThen(this.load(reads[0] as Read, call), (result) => [result])
    return Promise.all(reads.map(async (read) => orThrown(() => this.load(read, call)))) as Promise<
      readonly ReadResult<unknown>[]
    >
  }

  write(mutations: readonly Mutation<unknown>[]): readonly WriteResult[] {
    return mutations.map(({ version }) => ({ version }))
  }

  /** Ask the loader of this call. Its errors pass as they are. */
  load({ key, ifNotVersion }: Read, call: CallOptions): Awaitable<ReadResult<unknown>> {
    if (call.consistency === keptOnly) return undefined
    const loading = loadings.of(call.facts)
    if (loading === undefined) throw lost()
    const kept = ifNotVersion === undefined ? this.#settings.kept(key) : undefined
    const run = new Run(ifNotVersion ?? kept?.version, call)
    this.#begin(key, run)
    try {
      const answer = loading.load(run, key)
      if (isPromise(answer))
        return this.#landing(key, run, answer, (one) => this.#result(key, one, run, kept, loading))
      const result = this.#result(key, answer, run, kept, loading)
      this.#end(key, run)
      return result
    } catch (error) {
      this.#end(key, run)
      throw error
    }
  }

  /** Abort the loads of a key that no caller waits for. */
  abandon(key: string): void {
    for (const run of this.#runs.get(key) ?? []) {
      if (!run.isAbandoned) continue
      run.abort()
      // It may never end.
      this.#end(key, run)
    }
  }

  /** Abort all loads. */
  abort(): void {
    for (const runs of this.#runs.values()) for (const run of runs) run.abort()
  }

  /** Drivers have promises of their own kinds, some of which ask when they are first waited for. */
  async #landing<T>(
    key: string,
    run: Run,
    answer: Promise<unknown>,
    next: (answer: unknown) => T,
  ): Promise<T> {
    try {
      return next(await answer)
    } finally {
      this.#end(key, run)
    }
  }

  #begin(key: string, run: Run): void {
    const runs = this.#runs.get(key)
    if (runs === undefined) this.#runs.set(key, new Set([run]))
    else runs.add(run)
  }

  #end(key: string, run: Run): void {
    const runs = this.#runs.get(key)
    runs?.delete(run)
    if (runs?.size === 0) this.#runs.delete(key)
  }

  #result(
    key: string,
    answer: unknown,
    { ifNotVersion }: Run,
    kept: Entry<unknown> | undefined,
    loading: Loading,
  ): ReadResult<unknown> {
    const now = this.#settings.clock()
    if (answer instanceof Unchanged) {
      if (ifNotVersion === undefined) throw unasked()
      this.#told(key, loading, answer.facts)
      return this.#unchanged(answer, ifNotVersion, kept, now)
    }
    const facts = answer instanceof Loaded ? answer : new Loaded(answer, {})
    this.#told(key, loading, facts.facts)
    const entry = entryOfLoaded(facts, now)
    return entry.value === undefined || !isLive(entry.expiresAt, now) ? undefined : entry
  }

  #told(key: string, loading: Loading, facts: LoadFacts): void {
    if (facts.tags !== undefined && !this.#settings.mayTag) throw untaggable('INVALID_ARGUMENT')
    loading.told(key, facts)
  }

  /** With the expiry only if the loader told one: who keeps the entry knows the one that it has. */
  #unchanged(
    { facts }: Unchanged,
    version: string,
    kept: Entry<unknown> | undefined,
    now: number,
  ): Entry<unknown> | NotModified {
    const isTold = facts.expiresAt !== undefined || facts.ttlMs !== undefined
    const told = isTold ? { expiresAt: expiryOf(facts, now) } : {}
    if (kept === undefined) return { notModified: true, version, ...told } as NotModified
    this.#settings.counters.revalidations++
    return { value: kept.value, version, expiresAt: kept.expiresAt, ...told }
  }
}

/** One load that is under way. */
class Run implements LoadContext {
  readonly ifNotVersion: string | undefined
  readonly #call: CallOptions
  #stop: AbortController | undefined
  #isOver = false

  constructor(ifNotVersion: string | undefined, call: CallOptions) {
    this.ifNotVersion = ifNotVersion
    this.#call = call
  }

  get signal(): AbortSignal {
    this.#stop ??= new AbortController()
    if (this.#isOver) this.#stop.abort()
    return this.#stop.signal
  }

  get isAbandoned(): boolean {
    return this.#call.settled === true
  }

  abort(): void {
    this.#isOver = true
    this.#stop?.abort()
  }
}

function lost(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'The codec of this cache makes calls of its own; a codec must pass them on.',
  )
}

function unasked(): StoreError {
  return invalid(
    'The loader answered notModified() although nothing was kept: it may do so for ifNotVersion only.',
  )
}
