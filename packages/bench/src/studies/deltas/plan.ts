import { z } from 'zod'
import { rowSchema } from '../../cube/row.ts'
import type { PlainShape } from '../../options/option.ts'
import { turned } from '../../study/running.ts'
import type { StudyResult } from '../../study/study.ts'
import { type DeltasConfig, type EditPattern, editPatterns } from './config.ts'
import { recommendationSchema } from './recommend.ts'

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

/** The fields of a result that are its own. */
export const deltasBodyShape = {
  points: z.array(
    z.strictObject({
      store: z.string(),
      /** Place on the size axis, in bytes. */
      size: z.int().min(1),
      edit: z.enum(editPatterns),
      share: z.number().min(0).max(1),
      recommendation: recommendationSchema,
    }),
  ),
  /** All that was measured. */
  rows: z.array(rowSchema),
}

/** All that a run of the study found: `result.json`. */
export type DeltasResult = StudyResult<DeltasConfig, DeltasBody>

/** The fields of a result beyond those of every study. */
export type DeltasBody = PlainShape<typeof deltasBodyShape>

/** The recommendation for updates of one store, at one size, by one pattern. */
export type DeltaPoint = DeltasBody['points'][number]
