import { type Bytes, newVersion, StoreError } from '@unikv/core'
import type { DataSource, SizePoint } from '../data/data-source.ts'
import { checkNames, sizePoints } from '../sizes/check.ts'
import { environment } from '../sizes/environment.ts'
import { RunNamespace } from '../sizes/run-namespace.ts'
import { formatSize } from '../sizes/size-list.ts'
import type { StoreTarget } from '../sizes/target.ts'
import { type DeltaRecord, deltaPoints } from './aggregate.ts'
import { type DeltasConfig, keysAt } from './config.ts'
import { measureUpdates, type UpdatesSample } from './measure-updates.ts'
import { type DeltaCell, planDeltas } from './plan.ts'
import type { DeltasResult } from './result.ts'
import { deltaWay, plainWay } from './ways.ts'

/** What to measure. */
export interface BenchDeltasInput {
  readonly config: DeltasConfig
  readonly stores: readonly StoreTarget[]
  readonly data: DataSource
  /** Versions to state in the result. */
  readonly versions?: Readonly<Record<string, string>>
  /** Ends the run early: what is finished is kept, and everything that was written is deleted. */
  readonly signal?: AbortSignal
  /** Told of every step, for progress bars and logs. */
  readonly onEvent?: (event: DeltasEvent) => void
}

/** What `benchDeltas` reports while it works. */
export type DeltasEvent =
  | { readonly type: 'started'; readonly cells: number }
  /** Namespaces that an earlier, killed run left in a store were deleted. */
  | { readonly type: 'leftovers-removed'; readonly target: string; readonly runs: readonly string[] }
  | DeltaCellFinished
  | { readonly type: 'removing'; readonly target: string }

/** A cell is done. */
export interface DeltaCellFinished {
  readonly type: 'cell'
  readonly cell: DeltaCell
  /** Bytes of the cell's values. */
  readonly size: number
  readonly done: number
  readonly cells: number
  readonly elapsedMs: number
  /** A guess. */
  readonly remainingMs: number
}

/**
 * Measure updates and reads of stores with and without the delta layer, by size, edit pattern and share, and tell where
 * deltas pay. Works in a namespace of its own in every store and deletes exactly that.
 *
 * A run that is interrupted, or that fails after its first measured cell, still returns what it finished, with
 * `status` saying so.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `INVALID_ARGUMENT` or `UNSUPPORTED` before anything is sent; the store's own
 * error if nothing was measured
 */
export async function benchDeltas(input: BenchDeltasInput): Promise<DeltasResult> {
  const points = sizePoints(input.config, input.data)
  checkDeltas(input, points)
  return new DeltasRun(input, points).finish()
}

const heartbeatMs = 10_000

class DeltasRun {
  readonly #input: BenchDeltasInput
  readonly #points: readonly SizePoint[]
  readonly #runId = newVersion()
  readonly #startedAt = new Date()
  readonly #startMs = performance.now()
  readonly #namespaces = new Map<StoreTarget, RunNamespace>()
  readonly #records: DeltaRecord[] = []
  readonly #signal: AbortSignal
  #objects: { readonly point: number; readonly objects: readonly Bytes[] } | undefined
  #error: Error | undefined

  constructor(input: BenchDeltasInput, points: readonly SizePoint[]) {
    this.#input = input
    this.#points = points
    this.#signal = input.signal ?? new AbortController().signal
  }

  async finish(): Promise<DeltasResult> {
    try {
      for (const target of this.#input.stores) await this.#open(target)
      await this.#runAll()
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error))
    }
    for (const [target, namespace] of this.#namespaces) await this.#remove(target, namespace)
    if (this.#error !== undefined && !this.#records.some(({ cell }) => cell.run > 0)) throw this.#error
    return this.#result()
  }

  async #open(target: StoreTarget): Promise<void> {
    this.#signal.throwIfAborted()
    const namespace = await RunNamespace.open(target.store, { ...this.#input.config, runId: this.#runId })
    this.#namespaces.set(target, namespace)
    const { leftovers: runs } = namespace
    if (runs.length > 0) this.#report({ type: 'leftovers-removed', target: target.name, runs })
  }

  async #runAll(): Promise<void> {
    const { config, stores } = this.#input
    const cells = planDeltas(
      config,
      this.#points.length,
      stores.map(({ name }) => name),
    )
    this.#report({ type: 'started', cells: cells.length })
    let heartbeatAt = performance.now() + heartbeatMs
    for (const [index, cell] of cells.entries()) {
      this.#signal.throwIfAborted()
      this.#records.push({ cell, sample: await this.#measure(cell) })
      const elapsedMs = performance.now() - this.#startMs
      const { size } = this.#points[cell.point] as SizePoint
      const done = index + 1
      const remainingMs = (elapsedMs / done) * (cells.length - done)
      this.#report({ type: 'cell', cell, size, done, cells: cells.length, elapsedMs, remainingMs })
      if (performance.now() < heartbeatAt) continue
      for (const namespace of this.#namespaces.values()) await namespace.heartbeat()
      heartbeatAt = performance.now() + heartbeatMs
    }
  }

  async #measure(cell: DeltaCell): Promise<UpdatesSample> {
    const { config, stores } = this.#input
    const { store } = stores.find(({ name }) => name === cell.store) as StoreTarget
    const place = { store, runId: this.#runId, timeoutMs: config.timeoutMs }
    return measureUpdates({
      plain: plainWay(place),
      delta: deltaWay(place, config.maxDeltas),
      prefix: `${cell.point}/${cell.edit}/${cell.share}`,
      objects: await this.#objectsAt(cell.point),
      edit: cell.edit,
      share: cell.share,
      updates: config.updates,
      maxMs: config.maxCellMs,
      seed: config.seed,
      first: cell.run % 2,
      signal: this.#signal,
    })
  }

  async #objectsAt(point: number): Promise<readonly Bytes[]> {
    if (this.#objects?.point === point) return this.#objects.objects
    const { size, available = Number.POSITIVE_INFINITY, objects: load } = this.#points[point] as SizePoint
    const objects = await load(Math.min(available, keysAt(size, this.#input.config)))
    this.#objects = { point, objects }
    return objects
  }

  async #remove(target: StoreTarget, namespace: RunNamespace): Promise<void> {
    this.#report({ type: 'removing', target: target.name })
    await namespace.remove().catch((cause: unknown) => {
      const message = `The namespace of this run could not be removed from ${target.name}; the next run there will remove it.`
      this.#error ??= new StoreError('UNAVAILABLE', message, { cause })
    })
  }

  #result(): DeltasResult {
    const { config, stores, data, versions = {} } = this.#input
    const failed = this.#error !== undefined && !this.#signal.aborted
    return {
      format: 'unikv.bench-deltas',
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
      stores: stores.map(({ name, url, store }) => ({
        name,
        url,
        adapter: store.name,
        durability: store.capabilities.durability,
      })),
      points: deltaPoints(
        config,
        this.#points.map(({ size }) => size),
        stores.map(({ name }) => name),
        this.#records,
      ),
    }
  }

  #report(event: DeltasEvent): void {
    this.#input.onEvent?.(event)
  }
}

/** Refuse, before anything is sent, what could only fail later. */
function checkDeltas({ config, stores }: BenchDeltasInput, points: readonly SizePoint[]): void {
  if (stores.length === 0) throw new StoreError('INVALID_CONFIG', 'There is no store to measure.')
  checkNames('store', stores)
  const largest = Math.max(...points.map(({ range }) => range[1]))
  const needed = config.edits.includes('append') ? 2 * largest : largest
  for (const { name, store } of stores) {
    const { writer } = deltaWay({ store, runId: 'check', timeoutMs: config.timeoutMs }, config.maxDeltas)
    const { maxValueBytes } = writer.keys.capabilities
    if (needed <= maxValueBytes) continue
    const how = needed > largest ? `, which grow to ${formatSize(needed)} by append,` : ''
    const message = `Values of ${formatSize(largest)}${how} are too large for ${name} with deltas, which takes ${formatSize(maxValueBytes)}.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
}
