import { turned } from '../../study/running.ts'
import type { CompressionAlgorithm, EncryptionAlgorithm, SizesConfig } from './config.ts'

/** One measurement: one kind of thing, at one size, once. */
export type Cell = LatencyCell | CacheCell | CodecCell

interface CellPlace {
  /** 0 warms up and is not counted; measured runs count from 1. */
  readonly run: number
  /** Index of the point on the size axis. */
  readonly point: number
}

/** Write, read and delete of one store. */
export interface LatencyCell extends CellPlace {
  readonly kind: 'latency'
  readonly store: string
}

/** Reads of one store through one cache. */
export interface CacheCell extends CellPlace {
  readonly kind: 'cache'
  readonly store: string
  readonly cache: string
}

/** One encryption or compression without any store. */
export type CodecCell = CellPlace &
  (
    | { readonly kind: 'encryption'; readonly algorithm: EncryptionAlgorithm }
    | { readonly kind: 'compression'; readonly algorithm: CompressionAlgorithm }
  )

/** The subject of a plan. */
export interface Planned {
  readonly config: Pick<SizesConfig, 'runs' | 'parallel' | 'encryption' | 'compression'>
  readonly points: readonly { readonly size: number }[]
  readonly stores: readonly { readonly name: string }[]
  readonly caches: readonly { readonly name: string }[]
}

/**
 * All cells in the order in which they are measured. Runs are interleaved: each run goes once through everything,
 * and starts with another store, so that a change of the machine meanwhile falls on all alike and none always
 * goes first.
 */
export function plan({ config, points, stores, caches }: Planned): Cell[] {
  const cells: Cell[] = []
  for (let run = 0; run <= config.runs; run++) {
    const inTurn = turned(stores, run)
    for (const point of points.keys()) {
      for (const { name: store } of inTurn) cells.push({ kind: 'latency', run, point, store })
      for (const { name: store } of inTurn) {
        for (const { name: cache } of turned(caches, run))
          cells.push({ kind: 'cache', run, point, store, cache })
      }
      for (const algorithm of config.encryption) cells.push({ kind: 'encryption', run, point, algorithm })
      for (const algorithm of config.compression) cells.push({ kind: 'compression', run, point, algorithm })
    }
  }
  return cells
}

/** The name of a cell, the same in every run: cells of one series and point share it. */
export function cellName(cell: Cell): string {
  if (cell.kind === 'latency') return `latency/${cell.store}/${cell.point}`
  if (cell.kind === 'cache') return `cache/${cell.store}/${cell.cache}/${cell.point}`
  return `${cell.kind}/${cell.algorithm}/${cell.point}`
}

/** A cell in words. */
export function cellLabel(cell: Cell): string {
  if (cell.kind === 'latency') return cell.store
  return cell.kind === 'cache' ? `${cell.store} behind ${cell.cache}` : cell.algorithm
}
