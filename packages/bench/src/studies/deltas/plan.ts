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

/** Equal for cells of several runs. */
export function deltaCellName({ point, store, edit, share }: DeltaCell): string {
  return `${point} ${store} ${edit} ${share}`
}

/** Patterns and shares in the order of the report; `random` changes everything, so it has one share. */
export function editsOf({
  edits,
  shares,
}: Pick<DeltasConfig, 'edits' | 'shares'>): Pick<DeltaCell, 'edit' | 'share'>[] {
  return [...new Set(edits)].flatMap((edit): Pick<DeltaCell, 'edit' | 'share'>[] =>
    edit === 'random' ? [{ edit, share: 1 }] : shares.map((share) => ({ edit, share })),
  )
}

/** All cells: each run goes once through everything, and begins with another store. */
export function planDeltas(config: DeltasConfig, points: number, stores: readonly string[]): DeltaCell[] {
  const edits = editsOf(config)
  return Array.from({ length: config.runs + 1 }, (_, run) => {
    const inTurn = stores.map((_store, index) => stores[(index + run) % stores.length] as string)
    return Array.from({ length: points }, (_point, point) =>
      edits.flatMap((edit) =>
        inTurn.map((store): DeltaCell => ({ kind: 'delta', run, point, store, ...edit })),
      ),
    ).flat()
  }).flat()
}
