import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { compareKeys, keyBounds } from '@unikv/core/adapter'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'
import { odd } from './client/replies.ts'
import { liveAt } from './expressions.ts'
import { entryOf, isOurs, type MongodbRecord } from './record.ts'

/**
 * Pages in the order of key bytes, which is how MongoDB compares strings without a collation. Each find goes on from
 * the last key of the one before, so that a key which lives throughout comes exactly once, for any writes meanwhile.
 */
export async function* scanPages<V>(
  backend: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize, values, reverse = false } = range
  const projection = values ? [] : [{ $project: { version: 1 } }]
  for (let bounds: Bounds | undefined = boundsOf(range); bounds !== undefined; ) {
    const [keys, live] = liveAt(bounds)
    const stages = [keys, { $sort: { _id: reverse ? -1 : 1 } }, live, { $limit: pageSize }, ...projection]
    const { documents, isPart } = await backend.commands.find(stages, pageSize, call)
    if (documents.some(({ _id }) => typeof _id !== 'string')) throw odd(backend.commands.target.where, false)
    const last = isPart || documents.length === pageSize ? (documents.at(-1)?.['_id'] as string) : undefined
    bounds = last === undefined ? undefined : beyond(last, bounds, reverse)
    yield { entries: entriesOf(documents, values, backend), resume: last }
  }
}

/** Documents that are not our records are not listed. */
export function entriesOf<V>(
  documents: readonly Document[],
  values: boolean,
  { form }: Backend<V>,
): ScanEntry<V>[] {
  const records = documents.filter(isOurs) as unknown as readonly MongodbRecord[]
  return records.map((record) =>
    values ? { key: record._id, entry: entryOf(record, form) } : { key: record._id },
  )
}

/** The keys that are left to list. */
type Bounds = ({ readonly $gte: string } | { readonly $gt: string }) & { readonly $lt?: string }

function boundsOf(range: ScanRange): Bounds {
  const { resume, reverse = false } = range
  const { start: $gte, end: $lt } = keyBounds(range)
  const whole = $lt === undefined ? { $gte } : { $gte, $lt }
  return resume === undefined ? whole : beyond(resume, whole, reverse)
}

/** The range behind a key, in the direction of the listing. A cursor comes from outside: it leads to no key out of the bounds. */
function beyond(key: string, bounds: Bounds, reverse: boolean): Bounds {
  const { $lt } = bounds
  if (reverse) return $lt === undefined || compareKeys(key, $lt) < 0 ? { ...bounds, $lt: key } : bounds
  const first = '$gte' in bounds ? bounds.$gte : bounds.$gt
  if (compareKeys(key, first) < 0) return bounds
  return $lt === undefined ? { $gt: key } : { $gt: key, $lt }
}
