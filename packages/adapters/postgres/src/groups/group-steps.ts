import type { GroupChange, GroupKey, GroupRange } from '@unikv/core'
import { groupBounds } from '@unikv/core/adapter'
import { byteaArray } from '../client/arrays.ts'
import type { Step } from '../client/pipeline.ts'
import { type GroupReads, type GroupStatements, mostRows } from './group-statements.ts'

/** The statement that reads these keys: the one for a single key, or the one for many. */
export function readStep({ one, many }: GroupReads, keys: readonly GroupKey[]): Step {
  const [first] = keys
  if (keys.length === 1 && first !== undefined)
    return { sql: one, values: [Buffer.from(first.group), Buffer.from(first.key)] }
  const groups = byteaArray(keys.map(({ group }) => Buffer.from(group)))
  return { sql: many, values: [groups, byteaArray(keys.map(({ key }) => Buffer.from(key)))] }
}

/** The statement that lists a range of a group. */
export function listStep({ listFrom, listBetween }: GroupReads, group: string, range: GroupRange): Step {
  const { start, end } = groupBounds(range)
  const values = [Buffer.from(group), start, Math.min(range.limit, mostRows)]
  return end === undefined ? { sql: listFrom, values } : { sql: listBetween, values: [...values, end] }
}

/** The statements that make changes; the last one answers the number of the transaction. */
export function changeSteps(
  { upsertOne, upsert, remove, number }: GroupStatements,
  group: string,
  changes: readonly GroupChange[],
): readonly Step[] {
  const removed = changes.filter(({ value }) => value === undefined)
  const set = changes.filter(({ value }) => value !== undefined)
  const keysOf = (some: readonly GroupChange[]): Buffer => byteaArray(some.map(({ key }) => Buffer.from(key)))
  const name = Buffer.from(group)
  const values = set.map(({ value }) => value as Uint8Array)
  const [key, value] = [set[0]?.key, values[0]]
  const one = key === undefined || value === undefined ? undefined : [name, Buffer.from(key), value]
  const many = { sql: upsert, values: [name, keysOf(set), byteaArray(values)] }
  return [
    ...(removed.length === 0 ? [] : [{ sql: remove, values: [name, keysOf(removed)] }]),
    one === undefined
      ? { sql: number, values: [] }
      : set.length === 1
        ? { sql: upsertOne, values: one }
        : many,
  ]
}
