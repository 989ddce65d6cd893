import { newVersion, StoreError } from '@unikv/core'
import type { DataSource, SizePoint } from '../data/data-source.ts'
import { type AggregateInput, aggregate, type CellRecord } from './aggregate.ts'
import { CellRunner } from './cell-runner.ts'
import { checkRun, sizePoints } from './check.ts'
import type { SizesConfig } from './config.ts'
import { environment } from './environment.ts'
import { RemainingTime } from './eta.ts'
import type { SizesEvent } from './events.ts'
import { type Cell, plan } from './plan.ts'
import type { CacheInfo, SizesResult, StoreInfo } from './result.ts'
import { RunNamespace } from './run-namespace.ts'
import type { CacheTarget, StoreTarget } from './target.ts'

/** What to measure. */
export interface BenchSizesInput {
  readonly config: SizesConfig
  readonly stores: readonly StoreTarget[]
  readonly caches?: readonly CacheTarget[]
  readonly data: DataSource
  /** Versions to state in the result. */
  readonly versions?: Readonly<Record<string, string>>
  /** Ends the run early: what is finished is kept, and everything that was written is deleted. */
  readonly signal?: AbortSignal
  /** Told of every step, for progress bars and logs. */
  readonly onEvent?: (event: SizesEvent) => void
}

/**
 * Measure read, write and delete latency of stores over object sizes, reads through caches at hit rates, and the
 * cost of encryption and compression. Works in a namespace of its own in every store and deletes exactly that.
 *
 * A run that is interrupted, or that fails after its first measured cell, still returns what it finished, with
 * `status` saying so.
 *
 * @throws {StoreError} `INVALID_CONFIG` or `INVALID_ARGUMENT` before anything is sent; the store's own error if
 * nothing was measured
 */
export async function benchSizes(input: BenchSizesInput): Promise<SizesResult> {
  const { config, stores, caches = [], data } = input
  const points = sizePoints(config, data)
  checkRun(config, stores, caches, points)
  const run = new SizesRun(input, points)
  return run.finish(
    plan({
      config,
      points: points.length,
      stores: stores.map(({ name }) => name),
      caches: caches.map(({ name }) => name),
    }),
  )
}

const HEARTBEAT_MS = 10_000

class SizesRun {
  readonly #input: BenchSizesInput
  readonly #points: readonly SizePoint[]
  readonly #runId = newVersion()
  readonly #startedAt = new Date()
  readonly #startMs = performance.now()
  readonly #namespaces = new Map<StoreTarget, RunNamespace>()
  readonly #records: CellRecord[] = []
  readonly #signal: AbortSignal
  readonly #runner: CellRunner
  #error: Error | undefined

  constructor(input: BenchSizesInput, points: readonly SizePoint[]) {
    const { config, stores, caches = [], signal = new AbortController().signal } = input
    this.#input = input
    this.#points = points
    this.#signal = signal
    this.#runner = new CellRunner({
      config,
      stores,
      caches,
      points,
      runId: this.#runId,
      namespaces: this.#namespaces,
      signal,
    })
  }

  async finish(cells: readonly Cell[]): Promise<SizesResult> {
    try {
      await this.#openAll()
      await this.#runAll(cells)
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error))
    }
    await this.#removeAll()
    if (this.#error !== undefined && !this.#records.some(({ cell }) => cell.run > 0)) throw this.#error
    return this.#result()
  }

  async #openAll(): Promise<void> {
    const { config, stores, caches = [] } = this.#input
    for (const target of [...stores, ...caches.filter((cache) => cache.kind === 'remote')]) {
      this.#signal.throwIfAborted()
      const namespace = await RunNamespace.open(target.store, { ...config, runId: this.#runId })
      this.#namespaces.set(target, namespace)
      if (namespace.leftovers.length === 0) continue
      this.#report({ type: 'leftovers-removed', target: target.name, runs: namespace.leftovers })
    }
  }

  async #runAll(cells: readonly Cell[]): Promise<void> {
    const remaining = new RemainingTime()
    this.#report({ type: 'started', cells: cells.length })
    let heartbeatAt = performance.now() + HEARTBEAT_MS
    for (const [index, cell] of cells.entries()) {
      const startMs = performance.now()
      this.#records.push(await this.#runner.run(cell))
      const now = performance.now()
      remaining.took(cell, now - startMs)
      this.#report({
        type: 'cell',
        cell,
        size: (this.#points[cell.point] as SizePoint).size,
        done: index + 1,
        cells: cells.length,
        elapsedMs: now - this.#startMs,
        remainingMs: remaining.of(cells.slice(index + 1)),
      })
      if (now < heartbeatAt) continue
      for (const namespace of this.#namespaces.values()) await namespace.heartbeat()
      heartbeatAt = now + HEARTBEAT_MS
    }
  }

  async #removeAll(): Promise<void> {
    for (const [target, namespace] of this.#namespaces) {
      this.#report({ type: 'removing', target: target.name })
      await namespace.remove().catch((cause: unknown) => {
        this.#error ??= notRemoved(target, cause)
      })
    }
  }

  #result(): SizesResult {
    const { config, stores, caches = [], data, versions = {} } = this.#input
    const failed = this.#error !== undefined && !this.#signal.aborted
    const input: AggregateInput = {
      config,
      sizes: this.#points.map(({ size }) => size),
      stores: stores.map(({ name }) => name),
      caches: caches.map(({ name }) => name),
      records: this.#records,
    }
    return {
      format: 'unikv.bench-sizes',
      formatVersion: 1,
      status: failed ? 'failed' : this.#signal.aborted ? 'interrupted' : 'complete',
      error: failed ? (this.#error?.message ?? null) : null,
      runId: this.#runId,
      startedAt: this.#startedAt.toISOString(),
      elapsedMs: performance.now() - this.#startMs,
      config,
      environment: environment(),
      versions,
      data: { kind: data.kind, description: data.description },
      stores: stores.map(storeInfo),
      caches: caches.map(cacheInfo),
      points: this.#runner.pointInfos(),
      ...aggregate(input),
    }
  }

  #report(event: SizesEvent): void {
    this.#input.onEvent?.(event)
  }
}

function storeInfo({ name, url, store }: StoreTarget): StoreInfo {
  return { name, url, adapter: store.name, durability: store.capabilities.durability }
}

function cacheInfo(cache: CacheTarget): CacheInfo {
  if (cache.kind === 'in-process')
    return { name: cache.name, kind: cache.kind, share: cache.share, url: null }
  return { name: cache.name, kind: cache.kind, share: null, url: cache.url }
}

function notRemoved({ name }: StoreTarget, cause: unknown): StoreError {
  const message = `The namespace of this run could not be removed from ${name}; the next run there will remove it.`
  return new StoreError('UNAVAILABLE', message, { cause })
}
