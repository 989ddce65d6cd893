import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Bytes, StoreError } from '@unikv/core'
import type { SizePoint } from '../../data/data-source.ts'
import type { CacheTarget } from '../../run/target.ts'
import { targetOf } from '../../study/running.ts'
import type { StudyContext } from '../../study/study.ts'

import { operationsAt, type PointInfo, type SizesConfig } from './config.ts'
import { cacheUnderTest } from './measure/cache-under-test.ts'
import type { CellInput } from './measure/cell-input.ts'
import { measureCache } from './measure/measure-cache.ts'
import { layerCodec, measureCodec } from './measure/measure-codec.ts'
import { measureLatency } from './measure/measure-latency.ts'
import type { Cell } from './plan.ts'
import type { CellRecord } from './rows.ts'

const gzipped = promisify(gzip)

/** Original bytes over bytes after gzip, of all objects together: how compressible the data really is. */
export async function gzipRatio(objects: readonly Bytes[]): Promise<number> {
  let original = 0
  let packed = 0
  for (const object of objects) {
    original += object.length
    packed += (await gzipped(object)).length
  }
  return original / packed
}

/** Bytes of distinct objects kept at a time; beyond it the same objects are written under further keys. */
const POOL_BYTES = 32e6
/** Bytes of which the gzip ratio is taken. */
const SAMPLE_BYTES = 1e6

/** Measures one cell after the other. */
export class SizesRunner {
  readonly #context: StudyContext<SizesConfig>
  readonly #infos: PointInfo[] = []
  #pool: { readonly point: number; readonly objects: readonly Bytes[] } | undefined

  constructor(context: StudyContext<SizesConfig>) {
    this.#context = context
  }

  /** @throws the first error of the store, or the reason of the signal */
  async run(cell: Cell): Promise<CellRecord> {
    this.#context.signal.throwIfAborted()
    const objects = await this.#objects(cell.point)
    const point = this.#infos[cell.point] as PointInfo
    if (cell.kind === 'latency')
      return { cell, point, sample: await measureLatency(this.#input(cell, cell.store, objects)) }
    const { config, signal } = this.#context
    if (cell.kind !== 'cache') {
      const codec = layerCodec(cell)
      return { cell, point, sample: await measureCodec({ codec, objects, maxMs: config.maxPhaseMs, signal }) }
    }
    const sample = await measureCache({
      ...this.#input(cell, cell.store, objects),
      store: targetOf(this.#context, cell.store).store,
      cache: cacheUnderTest(this.#cache(cell.cache), this.#context),
      measuredHitRates: config.measureHitRates ? config.hitRates : [],
    })
    return { cell, point, sample }
  }

  #input(cell: Cell, store: string, objects: readonly Bytes[]): CellInput {
    const { config, signal, namespaces } = this.#context
    const namespace = namespaces.get(targetOf(this.#context, store))
    if (namespace === undefined)
      throw new StoreError('INVALID_CONFIG', `${store} was not opened for this run.`)
    return {
      keys: namespace.keys,
      prefix: `${cell.kind}/${cell.point}`,
      objects,
      operations: this.#operations(cell.point),
      parallel: config.parallel,
      maxMs: config.maxPhaseMs,
      seed: config.seed,
      signal,
      verify: cell.run === 0,
    }
  }

  /** Objects of one point, kept until another point is asked for. */
  async #objects(point: number): Promise<readonly Bytes[]> {
    if (this.#pool?.point === point) return this.#pool.objects
    const { size, objects: load } = this.#point(point)
    this.#pool = undefined
    const objects = await load(Math.min(this.#operations(point), Math.max(2, Math.floor(POOL_BYTES / size))))
    this.#pool = { point, objects }
    this.#infos[point] ??= await this.#info(point, objects)
    return objects
  }

  async #info(point: number, objects: readonly Bytes[]): Promise<PointInfo> {
    const { size, range } = this.#point(point)
    return {
      size,
      minBytes: range[0],
      maxBytes: range[1],
      operations: this.#operations(point),
      gzipRatio: await gzipRatio(objects.slice(0, Math.max(1, Math.floor(SAMPLE_BYTES / size)))),
    }
  }

  #operations(point: number): number {
    const { size, available = Infinity } = this.#point(point)
    return Math.min(available, operationsAt(size, this.#context.config.operations))
  }

  #point(index: number): SizePoint {
    return this.#context.points[index] as SizePoint
  }

  #cache(name: string): CacheTarget {
    return this.#context.caches.find((target) => target.name === name) as CacheTarget
  }
}
