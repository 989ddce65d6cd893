import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'
import { odd } from './client/replies.ts'
import { liveAt } from './expressions.ts'
import { entryOf, isOurs, type MongodbRecord } from './record.ts'

/**
 * Pages in the order of key bytes, which is how MongoDB compares strings without a collation. Each find starts after
 * the last key of the one before, so that a key which lives throughout comes exactly once, whatever is written meanwhile.
 */
export async function* scanPages<V>(
  backend: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize, values } = range
  const end = endOf(range)
  const projection = values ? [] : [{ $project: { version: 1 } }]
  for (let start: Document | undefined = startOf(range); start !== undefined; ) {
    const _id = { ...start, ...(end === undefined ? {} : { $lt: end }) }
    const [keys, live] = liveAt(_id)
    const stages = [keys, { $sort: { _id: 1 } }, live, { $limit: pageSize }, ...projection]
    const { documents, isPart } = await backend.commands.find(stages, pageSize, call)
    if (documents.some(({ _id }) => typeof _id !== 'string')) throw odd(backend.commands.target.where, false)
    const last = isPart || documents.length === pageSize ? (documents.at(-1)?.['_id'] as string) : undefined
    start = last === undefined ? undefined : { $gt: last }
    yield { entries: entriesOf(documents, values, backend), resume: last }
  }
}

/** What is no record of ours is not listed. */
function entriesOf<V>(documents: readonly Document[], values: boolean, { form }: Backend<V>): ScanEntry<V>[] {
  const records = documents.filter(isOurs) as unknown as readonly MongodbRecord[]
  return records.map((record) =>
    values ? { key: record._id, entry: entryOf(record, form) } : { key: record._id },
  )
}

function startOf({ prefix, gte, resume }: ScanRange): Document {
  if (resume !== undefined) return { $gt: resume }
  return { $gte: gte === undefined || compareKeys(gte, prefix) < 0 ? prefix : gte }
}

function endOf({ prefix, lt }: ScanRange): string | undefined {
  const beyond = afterPrefix(prefix)
  return beyond === undefined || (lt !== undefined && compareKeys(lt, beyond) < 0) ? lt : beyond
}
