import { isStoreError, newVersion, StoreError } from '@unikv/core'
import { type OptionNames, ownSignal } from '@unikv/core/adapter'
import { AbortController, isError, pause, performance } from '@unikv/core/platform'
import type { DataSource, SizePoint } from '../data/data-source.ts'
import { listed } from '../report/words.ts'
import { sumOf } from '../statistics/summary.ts'
import { environment } from './machine.ts'
import { type BenchCell, type BenchEvent, RemainingTime, SignsOfLife } from './progress.ts'
import type { RunResult } from './result.ts'
import { RunNamespace } from './run-namespace.ts'
import type { StoreTarget } from './target.ts'

/** The input of every bench. */
export interface BenchInput<C extends BenchCell> {
  readonly config: { readonly timeoutMs: number; readonly allowNonEmpty: boolean }
  readonly stores: readonly StoreTarget[]
  readonly data: DataSource
  /** Command to state in the result, without secrets. */
  readonly command?: string | undefined
  /** Versions to state in the result. */
  readonly versions?: Readonly<Record<string, string>> | undefined
  /** Ends the run early: what is finished is kept, and everything that was written is deleted. */
  readonly signal?: AbortSignal | undefined
  /** Told of every step, for progress bars and logs. */
  readonly onEvent?: ((event: BenchEvent<C>) => void) | undefined
}

/** The options of every bench. */
export const benchInputNames: OptionNames<BenchInput<never>> = {
  config: true,
  stores: true,
  data: true,
  command: true,
  versions: true,
  signal: true,
  onEvent: true,
}

/** Facts about cells before they are measured. */
export interface CellKinds<C> {
  /** Equal for cells of several runs that do the same. */
  nameOf(cell: C): string
  /** A cell takes no less. */
  leastMsOf(cell: C): number
  /** In words. */
  labelOf(cell: C): string
  /** Whether data that is left in a store does not make the run a failed one. @default false */
  readonly goesOnWithoutStores?: boolean | undefined
  /** Whether it removes its records by itself. @default false */
  readonly removesRecords?: boolean | undefined
}

/** How the cells of a plan are measured. */
export interface CellWork<C> {
  readonly measureOne: (cell: C) => Promise<void>
  /** Whether further cells would add nothing. */
  readonly isDone: () => boolean
  /** Undo what the cells prepared, however the measuring ended. */
  readonly finish: () => Promise<void>
}

/**
 * The frame of every bench: its own namespace in each store, which it deletes in the end; signs
 * of life; and a result that holds what was finished, however the run ended.
 */
export class BenchRun<C extends BenchCell> {
  readonly id: string = newVersion()
  readonly namespaces: Map<StoreTarget, RunNamespace> = new Map()
  readonly signal: AbortSignal
  readonly #servers = new Map<StoreTarget, Readonly<Record<string, string>>>()
  readonly #input: BenchInput<C>
  readonly #kinds: CellKinds<C>
  readonly #points: readonly SizePoint[]
  readonly #startedAt = new Date()
  readonly #startMs = performance.now()
  #hasMeasured = false
  /** Whether the signal is what ended the measuring, not what came after it. */
  #isInterrupted = false
  #error: Error | undefined
  readonly #leftIn: string[] = []

  constructor(input: BenchInput<C>, kinds: CellKinds<C>, points: readonly SizePoint[]) {
    this.#input = input
    this.#kinds = kinds
    this.#points = points
    this.signal = ownSignal(input.signal) ?? new AbortController().signal
  }

  /**
   * Measure the cells of a plan, one after the other, in namespaces of these targets.
   *
   * @throws what went wrong, if no cell but warm-ups was finished
   */
  async measure(targets: readonly StoreTarget[], cells: readonly C[], work: CellWork<C>): Promise<void> {
    const leastMs = sumOf(cells, (cell) => this.#kinds.leastMsOf(cell))
    const signs = new SignsOfLife(this.namespaces)
    try {
      for (const target of targets) await this.#open(target)
      this.report({ type: 'started', cells: cells.length, leastMs })
      await this.#measureAll(cells, work)
      this.signal.throwIfAborted() // the last cell may hold less than it should
    } catch (error) {
      this.#error = asError(error)
      this.#isInterrupted = this.signal.aborted && !isCorrupt(error)
    }
    await work.finish().catch((error: unknown) => {
      this.#error ??= asError(error)
    })
    await signs.end()
    for (const [target, namespace] of this.namespaces) await this.#remove(target, namespace)
    if (this.#error !== undefined && !this.#hasMeasured) throw this.#withLeftovers(this.#error)
  }

  result(): RunResult {
    const { stores, data, versions = {}, command = null } = this.#input
    const failure = this.#isInterrupted ? undefined : this.#error
    const told = [failure?.message, this.#leftText()].filter((part) => part !== undefined)
    return {
      status: this.#status(failure),
      error: told.length === 0 ? null : told.join(' '),
      runId: this.id,
      startedAt: this.#startedAt.toISOString(),
      elapsedMs: performance.now() - this.#startMs,
      environment: environment(),
      command,
      versions,
      data: { kind: data.kind, description: data.description },
      stores: stores.map((target) => ({
        name: target.name,
        url: target.url,
        adapter: target.store.name,
        durability: target.store.capabilities.durability,
        server: this.serverOf(target),
      })),
    }
  }

  /** Facts that the server of a target reports about itself. */
  serverOf(target: StoreTarget): Readonly<Record<string, string>> {
    return this.#servers.get(target) ?? {}
  }

  #status(error: Error | undefined): RunResult['status'] {
    if (this.#isInterrupted) return 'interrupted'
    const isWhole = this.#leftIn.length === 0 || this.#kinds.goesOnWithoutStores === true
    if (error === undefined) return isWhole ? 'complete' : 'failed'
    return isCorrupt(error) ? 'invalid' : 'failed'
  }

  /** Data left in stores is reported in addition to the reason why the run ended. */
  #leftText(): string | undefined {
    if (this.#leftIn.length === 0) return undefined
    return `The data that this run wrote to ${listed(this.#leftIn)} could not be removed. The next run there will remove it.`
  }

  #withLeftovers(error: Error): Error {
    const left = this.#leftText()
    if (left === undefined) return error
    const message = this.#isInterrupted ? left : `${error.message} ${left}`
    return new StoreError(isStoreError(error) ? error.code : 'UNAVAILABLE', message, { cause: error })
  }

  async #open(target: StoreTarget): Promise<void> {
    this.signal.throwIfAborted()
    const { removesRecords } = this.#kinds
    const options = { ...this.#input.config, runId: this.id, removesRecords }
    const namespace = await RunNamespace.open(target.store, options)
    this.namespaces.set(target, namespace)
    this.#servers.set(target, await told(target, this.#input.config.timeoutMs))
    const { leftovers: runs } = namespace
    if (runs.length > 0) this.report({ type: 'leftovers-removed', target: target.name, runs })
  }

  async #measureAll(cells: readonly C[], { measureOne, isDone }: CellWork<C>): Promise<void> {
    const remaining = new RemainingTime((cell: C) => this.#kinds.nameOf(cell))
    for (const [index, cell] of cells.entries()) {
      this.signal.throwIfAborted()
      const startMs = performance.now()
      await measureOne(cell)
      this.#hasMeasured ||= cell.run > 0
      const now = performance.now()
      remaining.took(cell, now - startMs)
      this.report({
        type: 'cell',
        cell,
        label: this.#kinds.labelOf(cell),
        size: this.#points[cell.point]?.size,
        done: index + 1,
        cells: cells.length,
        elapsedMs: now - this.#startMs,
        remainingMs: remaining.of(cells.slice(index + 1)),
      })
      if (isDone()) return
    }
  }

  async #remove({ name }: StoreTarget, namespace: RunNamespace): Promise<void> {
    this.report({ type: 'removing', target: name })
    await namespace.remove().catch(() => void this.#leftIn.push(name))
  }

  /** Pass an event on to the program that watches. */
  report(event: BenchEvent<C>): void {
    this.#input.onEvent?.(event)
  }
}

function asError(error: unknown): Error {
  return isError(error) ? error : new Error(String(error))
}

function isCorrupt(error: unknown): boolean {
  return isStoreError(error) && error.code === 'CORRUPT'
}

/** Settings are good to know, but no run fails for want of them or waits long. */
async function told({ server }: StoreTarget, timeoutMs: number): Promise<Readonly<Record<string, string>>> {
  if (server === undefined) return {}
  const late = new AbortController()
  const nothing = pause(timeoutMs, { signal: late.signal, ref: false }).then(() => ({}))
  nothing.catch(() => {})
  const facts = await Promise.race([server().catch(() => ({})), nothing])
  late.abort()
  return facts
}
