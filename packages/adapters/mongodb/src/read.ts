import { type CallOptions, type Read, type ReadResult, type StoreError, toStoreError } from '@unikv/core'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'
import { odd } from './client/replies.ts'
import { liveAt, valueUnless } from './expressions.ts'
import { entryOf, headOf, type MongodbRecord } from './record.ts'

/** The parts of a record that a read wants: its value, nothing but its head, or its value unless the version is known. */
type ReadKind = 'value' | 'head' | 'unless'

const head: Document = Object.freeze({ version: 1, expiresAt: 1 })

/** Read keys: one find for each kind of read. */
export async function read<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const [one] = reads
  if (one !== undefined && reads.length === 1) return [await readOne(backend, one, call)]
  const results = new Map<string, ReadResult<V>>()
  const kinds = new Set(reads.map(kindOf))
  const work = Array.from(kinds, async (kind) => {
    const asked = reads.filter((one) => kindOf(one) === kind)
    await readKind(backend, kind, asked, results, call)
  })
  await Promise.all(work)
  return reads.map(({ key }) => results.get(key))
}

async function readOne<V>(backend: Backend<V>, one: Read, call: CallOptions): Promise<ReadResult<V>> {
  try {
    const kind = kindOf(one)
    const stages = [...liveAt(one.key, kind === 'unless'), ...projectionOf(kind, [one])]
    const { documents } = await backend.commands.find(stages, 1, call)
    const [record] = documents as unknown as readonly MongodbRecord[]
    if (record === undefined) return undefined
    if (record._id !== one.key || documents.length > 1) throw odd(backend.commands.target.where, false)
    return resultOf(record, one, backend)
  } catch (error) {
    return toStoreError(error, {})
  }
}

/** Ask until all is answered: an answer holds 16 MiB at most, and at least one record. */
async function readKind<V>(
  backend: Backend<V>,
  kind: ReadKind,
  reads: readonly Read[],
  results: Map<string, ReadResult<V>>,
  call: CallOptions,
): Promise<void> {
  const open = new Map(reads.map((one) => [one.key, one]))
  try {
    for (let isPart = true; isPart && open.size > 0; ) {
      const asked = [...open.values()]
      const stages = [...liveAt({ $in: [...open.keys()] }), ...projectionOf(kind, asked)]
      const found = await backend.commands.find(stages, asked.length, call)
      for (const record of found.documents as unknown as readonly MongodbRecord[]) {
        const one = open.get(record._id)
        // A record that was not asked for, or that comes twice.
        if (one === undefined) throw odd(backend.commands.target.where, false)
        results.set(one.key, resultOf(record, one, backend))
        open.delete(record._id)
      }
      isPart = found.isPart
    }
  } catch (error) {
    const failure: StoreError = toStoreError(error, {})
    for (const key of open.keys()) results.set(key, failure)
  }
}

function resultOf<V>(
  record: MongodbRecord,
  { ifNotVersion, head }: Read,
  { form }: Backend<V>,
): ReadResult<V> {
  return head === true || record.version === ifNotVersion ? headOf(record) : entryOf(record, form)
}

function kindOf({ head, ifNotVersion }: Read): ReadKind {
  if (head === true) return 'head'
  return ifNotVersion === undefined ? 'value' : 'unless'
}

function projectionOf(kind: ReadKind, reads: readonly Read[]): readonly Document[] {
  if (kind === 'value') return []
  if (kind === 'head') return [{ $project: head }]
  const [only] = reads
  if (only !== undefined && reads.length === 1) return [valueUnless(String(only.ifNotVersion))]
  const known = reads.map(({ key, ifNotVersion }) => ({ key, version: ifNotVersion }))
  const isKnown = { $in: [{ key: '$_id', version: '$version' }, { $literal: known }] }
  return [{ $project: { ...head, value: { $cond: [isKnown, '$$REMOVE', '$value'] } } }]
}
