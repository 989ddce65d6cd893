import { FileNames } from '../../../report/files/file-names.ts'
import type { Table } from '../../../report/table.ts'
import type { DeltaPoint, DeltasResult } from '../result.ts'
import { percent } from './words.ts'

/** What is timed with and without deltas. */
export type Timing = 'update' | 'read'

const timings: readonly Timing[] = ['update', 'read']

/** Columns of numbers: for each kind of edit the updates and the reads of all stores, by size. */
export function tables(result: DeltasResult): readonly Table[] {
  const names = new FileNames()
  return editsIn(result).flatMap((edit) =>
    timings.map((timing) => {
      const table = timesOf(result, edit, timing)
      return { ...table, name: names.claim(table.name) }
    }),
  )
}

/** Key of a table. */
export function tableKey(edit: string, timing: Timing): string {
  return `${edit}/${timing}`
}

/** Kinds of edits with their shares, as they were measured. */
export function editsIn({ points }: DeltasResult): readonly string[] {
  return [...new Set(points.map(editOf))]
}

/** A kind of edit in words. */
function editOf({ edit, share }: DeltaPoint): string {
  return edit === 'random' ? edit : `${edit}, ${percent(share)}`
}

function timesOf(result: DeltasResult, edit: string, timing: Timing): Table {
  const points = result.points.filter((point) => editOf(point) === edit)
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b)
  return {
    key: tableKey(edit, timing),
    name: `${timing}-${edit.replace(/[^\w.]+/g, '-').replace(/-$/, '')}`,
    title: `Time of ${timing === 'update' ? 'an update' : 'a read'} by object size, edit ${edit}: mean of the runs and half-width of its 95 % confidence interval, without and with deltas`,
    columns: [
      'size_bytes',
      ...result.stores.flatMap(({ name }) => [
        `${name}_plain_ms`,
        `${name}_plain_halfwidth_ms`,
        `${name}_delta_ms`,
        `${name}_delta_halfwidth_ms`,
      ]),
    ],
    rows: sizes.map((size) => [
      size,
      ...result.stores.flatMap(({ name }) => cells(points, name, size, timing)),
    ]),
  }
}

function cells(
  points: readonly DeltaPoint[],
  store: string,
  size: number,
  timing: Timing,
): readonly (number | null)[] {
  const point = points.find((one) => one.store === store && one.size === size)
  if (point === undefined) return [null, null, null, null]
  return [point.plain, point.delta].flatMap((way) => [way[timing].meanMs, way[timing].halfWidthMs])
}
