import type { Bytes } from '@unikv/core'
import type { SizePoint } from '../../data/data-source.ts'
import { targetOf } from '../../study/running.ts'
import type { StudyContext } from '../../study/study.ts'
import type { DeltaRecord } from './aggregate.ts'
import { type DeltasConfig, keysAt } from './config.ts'
import { measureUpdates } from './measure-updates.ts'
import type { DeltaCell } from './plan.ts'
import { deltaWay, plainWay } from './ways.ts'

/** How a cell is measured, with the objects of the point that was measured last. */
export class UpdatesRunner {
  readonly #context: StudyContext<DeltasConfig>
  #objects: { readonly point: number; readonly objects: readonly Bytes[] } | undefined

  constructor(context: StudyContext<DeltasConfig>) {
    this.#context = context
  }

  async run(cell: DeltaCell): Promise<DeltaRecord> {
    const { config, runId, signal } = this.#context
    const { store } = targetOf(this.#context, cell.store)
    const place = { store, runId, timeoutMs: config.timeoutMs }
    const sample = await measureUpdates({
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
      signal,
    })
    return { cell, sample }
  }

  async #objectsAt(point: number): Promise<readonly Bytes[]> {
    if (this.#objects?.point === point) return this.#objects.objects
    const {
      size,
      available = Number.POSITIVE_INFINITY,
      objects: load,
    } = this.#context.points[point] as SizePoint
    const objects = await load(Math.min(available, keysAt(size, this.#context.config)))
    this.#objects = { point, objects }
    return objects
  }
}
