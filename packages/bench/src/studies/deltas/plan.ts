import { turned } from '../../study/targets.ts'
import type { DeltasConfig, EditPattern } from './config.ts'

/** One measurement: updates of one store, at one size, by one pattern, once. */
export interface DeltaCell {
  readonly kind: 'delta'
  /** 0 warms up and is not counted; measured runs count from 1. */
  readonly run: number
  /** Index of the point on the size axis. */
  readonly point: number
  readonly store: string
  readonly edit: EditPattern
  readonly share: number
}

/** The subject of a plan. */
export interface Planned {
  readonly config: Pick<DeltasConfig, 'edits' | 'shares' | 'runs'>
  readonly points: readonly { readonly size: number }[]
  readonly stores: readonly { readonly name: string }[]
}

/** Patterns and shares in the order of the report; `random` changes everything, so it has one share. */
export function editsOf({ edits, shares }: Planned['config']): Pick<DeltaCell, 'edit' | 'share'>[] {
  return [...new Set(edits)].flatMap((edit): Pick<DeltaCell, 'edit' | 'share'>[] =>
    edit === 'random' ? [{ edit, share: 1 }] : shares.map((share) => ({ edit, share })),
  )
}

/** All cells: each run goes once through everything, and begins with another store. */
export function planDeltas({ config, points, stores }: Planned): DeltaCell[] {
  return Array.from({ length: config.runs + 1 }, (_, run) =>
    points.flatMap((_point, point) =>
      editsOf(config).flatMap((edit) =>
        turned(stores, run).map(
          ({ name: store }): DeltaCell => ({ kind: 'delta', run, point, store, ...edit }),
        ),
      ),
    ),
  ).flat()
}
