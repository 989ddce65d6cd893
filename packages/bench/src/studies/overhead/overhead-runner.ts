import { randomUUID } from 'node:crypto'
import { performance } from '@unikv/core/platform'
import type { RunNamespace } from '../../run/run-namespace.ts'
import type { StoreOpener } from '../../run/target.ts'
import { loading, targetOf } from '../../study/running.ts'
import type { CellRunner, StudyContext } from '../../study/study.ts'
import type { OverheadConfig } from './config.ts'
import { measuredOn, type OverheadCell, sidesOf } from './plan.ts'
import type { SideName, SideSample } from './side/messages.ts'
import { Side } from './side/side.ts'

/** The time that a volume would need, and the time that is left for its store. */
interface TooLong {
  readonly needsMs: number
  readonly leftMs: number
}

/** Tells which volumes of one store fit into its share of the time. The smallest one always does. */
export class Budget {
  readonly #endsAt: number
  readonly #measureMs: number
  #loaded = 0
  #loadMs = 0

  /**
   * @param stores - how many share the time
   * @param measured - how many operations by a side are measured
   */
  constructor(config: OverheadConfig, stores: number, measured: number) {
    const { budgetMs, warmupMs, durationMs, runs } = config
    this.#endsAt = performance.now() + (budgetMs ?? Number.POSITIVE_INFINITY) / stores
    this.#measureMs = measured * (warmupMs + runs * durationMs)
  }

  /** `undefined`: so many records fit. */
  tooLong(volume: number): TooLong | undefined {
    if (this.#loaded === 0) return undefined
    const needsMs = (this.#loadMs / this.#loaded) * (volume - this.#loaded) + this.#measureMs
    const leftMs = Math.max(0, this.#endsAt - performance.now())
    return needsMs <= leftMs ? undefined : { needsMs, leftMs }
  }

  /** The store has so many records, and the last of them took so long. */
  loaded(volume: number, ms: number): void {
    this.#loaded = volume
    this.#loadMs += ms
  }
}

/** A finished cell; a load has no sample. */
export interface OverheadRecord {
  readonly cell: OverheadCell
  readonly sample: SideSample | null
  /** For a load of a volume that was left out. */
  readonly tooLong?: TooLong
}

/** The measurements of one number of records, by the names of their cells. */
type Kept = Readonly<Record<string, SideSample>>

/** Has the sides of a store work in turn, each in its process. */
export class OverheadRunner implements CellRunner<OverheadCell, OverheadRecord> {
  readonly #context: StudyContext<OverheadConfig>
  #sides = new Map<SideName, Side>()
  /** The store of these sides. */
  #store: string | undefined
  #loaded = 0
  #budget: Budget | undefined
  /** The volume at work: the samples so far, and whether an earlier start had measured all of it. */
  #samples: Record<string, SideSample> = {}
  #isKept = false

  constructor(context: StudyContext<OverheadConfig>) {
    this.#context = context
  }

  async run(cell: OverheadCell): Promise<OverheadRecord> {
    this.#context.signal.throwIfAborted()
    if (cell.measured === null) return this.#begin(cell)
    const name = nameOf(cell)
    if (this.#isKept) return { cell, sample: this.#samples[name] ?? null }
    // Its load was left out.
    if (cell.store !== this.#store || cell.volume > this.#loaded) return { cell, sample: null }
    const { config } = this.#context
    const durationMs = cell.run === 0 ? config.warmupMs : config.durationMs
    const side = this.#sides.get(cell.measured.side) as Side
    const sample = await side.run(cell.measured.operation, durationMs)
    this.#samples[name] = sample
    await this.#keep(cell)
    return { cell, sample }
  }

  /** A volume is measured as a whole: its runs compare sides that take turns. */
  async #begin(cell: OverheadCell): Promise<OverheadRecord> {
    const kept = (await this.#context.cells.read(this.#identity(cell))) as Kept | undefined
    this.#isKept = kept !== undefined
    this.#samples = { ...kept }
    if (this.#isKept) return { cell, sample: null }
    if (cell.store !== this.#store) await this.#open(cell)
    const tooLong = this.#budget?.tooLong(cell.volume)
    if (tooLong !== undefined) return { cell, sample: null, tooLong }
    await this.#load(cell)
    return { cell, sample: null }
  }

  /** Once all of the volume is measured. */
  async #keep(cell: OverheadCell): Promise<void> {
    const { config } = this.#context
    const all = (config.runs + 1) * measurementsOf(config, targetOf(this.#context, cell.store))
    if (Object.keys(this.#samples).length === all)
      await this.#context.cells.write(this.#identity(cell), this.#samples)
  }

  /** All that the measurements of a volume depend on, besides machine, versions and data. */
  #identity({ store, volume }: OverheadCell): object {
    const { volumes: _volumes, budgetMs: _budget, ...config } = this.#context.config
    const target = targetOf(this.#context, store)
    const where = { name: target.name, url: target.url, server: this.#context.serverOf(target) }
    return { where, volume, config }
  }

  async finish(): Promise<void> {
    const open = [...this.#sides.values()]
    this.#sides = new Map()
    this.#store = undefined
    const ended = await Promise.allSettled(open.map((side) => side.end()))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  async #open({ store }: OverheadCell): Promise<void> {
    await this.finish()
    const { config, stores, namespaces } = this.#context
    const target = targetOf(this.#context, store)
    const opener = target.opener?.() as StoreOpener
    const { path } = namespaces.get(target) as RunNamespace
    const name = `unikv_native_${randomUUID().replaceAll('-', '').slice(0, 16)}`
    this.#store = store
    this.#loaded = 0
    const sides = sidesOf(config, target)
    this.#budget = new Budget(config, stores.length, measurementsOf(config, target))
    for (const side of sides) {
      // A table, collection or prefix of its own for each library.
      const start = { ...config, side, opener, namespace: path, name: `${name}_${side}` }
      this.#sides.set(side, await Side.start(start))
    }
  }

  async #load({ store, volume }: OverheadCell): Promise<void> {
    const { signal } = this.#context
    const step = Math.max(1_000, Math.ceil((volume - this.#loaded) / 50))
    const of = volume - this.#loaded
    const told = loading(this.#context, store, of)
    const startedAt = performance.now()
    for (let from = this.#loaded; from < volume; from += step) {
      signal.throwIfAborted()
      const to = Math.min(volume, from + step)
      for (const side of this.#sides.values()) await side.load(from, to)
      told(of - (volume - to))
    }
    this.#loaded = volume
    this.#budget?.loaded(volume, performance.now() - startedAt)
  }
}

/** How many operations by a side are measured in a run. */
function measurementsOf(config: OverheadConfig, store: { readonly url: string }): number {
  return measuredOn(config, store).reduce((sum, { sides }) => sum + sides.length, 0)
}

function nameOf({ run, measured }: OverheadCell): string {
  return `${run} ${measured?.operation} ${measured?.side}`
}
