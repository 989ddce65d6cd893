import { type Bytes, StoreError } from '@unikv/core'
import { checkFactoryOptions } from '@unikv/core/adapter'
import type { SizePoint } from '../data/data-source.ts'
import { type BenchInput, BenchRun, benchInputNames } from '../run/bench-run.ts'
import type { BenchEvent } from '../run/events.ts'
import type { StoreTarget } from '../run/target.ts'
import { checkNames, sizePoints, tryData } from '../sizes/check.ts'
import { aboutSize, formatSize } from '../sizes/size-list.ts'
import { type DeltaRecord, deltaPoints } from './aggregate.ts'
import { type DeltasConfig, keysAt } from './config.ts'
import { measureUpdates, type UpdatesSample } from './measure-updates.ts'
import { type DeltaCell, deltaCellName, planDeltas } from './plan.ts'
import type { DeltasResult } from './result.ts'
import { deltaWay, plainWay } from './ways.ts'

/** What to measure. */
export interface BenchDeltasInput extends BenchInput<DeltaCell> {
  readonly config: DeltasConfig
}

/** What `benchDeltas` reports while it works. */
export type DeltasEvent = BenchEvent<DeltaCell>

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
  checkFactoryOptions('benchDeltas', input, benchInputNames)
  const { config } = input
  const points = sizePoints(config, input.data)
  checkDeltas(input, points)
  await tryData(input.data, points)
  const run = new BenchRun(input, points)
  const names = input.stores.map(({ name }) => name)
  const measuring = new Measuring(input, points, run)
  const records: DeltaRecord[] = []
  await run.measure(
    input.stores,
    planDeltas(config, points.length, names),
    { nameOf: deltaCellName, leastMsOf: () => 0 },
    async (cell) => void records.push({ cell, sample: await measuring.of(cell) }),
  )
  const sizes = points.map(({ size }) => size)
  return {
    format: 'unikv.bench-deltas',
    formatVersion: 1,
    ...run.result(),
    config,
    points: deltaPoints(config, sizes, names, records),
  }
}

/** How a cell is measured, with the objects of the point that was measured last. */
class Measuring {
  readonly #input: BenchDeltasInput
  readonly #points: readonly SizePoint[]
  readonly #run: BenchRun<DeltaCell>
  #objects: { readonly point: number; readonly objects: readonly Bytes[] } | undefined

  constructor(input: BenchDeltasInput, points: readonly SizePoint[], run: BenchRun<DeltaCell>) {
    this.#input = input
    this.#points = points
    this.#run = run
  }

  async of(cell: DeltaCell): Promise<UpdatesSample> {
    const { config, stores } = this.#input
    const { store } = stores.find(({ name }) => name === cell.store) as StoreTarget
    const place = { store, runId: this.#run.id, timeoutMs: config.timeoutMs }
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
      signal: this.#run.signal,
    })
  }

  async #objectsAt(point: number): Promise<readonly Bytes[]> {
    if (this.#objects?.point === point) return this.#objects.objects
    const { size, available = Number.POSITIVE_INFINITY, objects: load } = this.#points[point] as SizePoint
    const objects = await load(Math.min(available, keysAt(size, this.#input.config)))
    this.#objects = { point, objects }
    return objects
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
    const how = needed > largest ? `, which grow to ${aboutSize(needed)} by append,` : ''
    const message = `Values of ${formatSize(largest)}${how} are too large for ${name} with deltas, which takes ${formatSize(maxValueBytes)}.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
}
