import { type CallOptions, type Read, type ReadResult, toStoreError } from '@unikv/core'
import { knownVersionBytes } from '@unikv/core/adapter'
import { entryOf, type ReadKind, readKindOf } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import { byteaArray } from './client/arrays.ts'

/** Read keys: one by its own statement, many by one statement for each kind of read. */
export function read<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  return reads.length === 1 ? readOne(backend, reads[0] as Read, call) : readMany(backend, reads, call)
}

function readOne<V>(
  { connections, statements, form }: Backend<V>,
  one: Read,
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const kind = readKindOf(one)
  const known = kind === 'unless' ? [knownVersionBytes(one.ifNotVersion as string)] : []
  return connections.records(statements.readOne(kind), [Buffer.from(one.key), ...known], call).then(
    ([found, second]) => [found === undefined ? undefined : entryOf(found, form, one, second !== undefined)],
    (error: unknown) => [toStoreError(error, {})],
  )
}

async function readMany<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const results: ReadResult<V>[] = reads.map(() => undefined)
  const groups = new Map<ReadKind, Asked[]>()
  for (const [index, read] of reads.entries()) {
    const kind = readKindOf(read)
    const asked = { index, key: Buffer.from(read.key), read }
    const group = groups.get(kind)
    if (group === undefined) groups.set(kind, [asked])
    else group.push(asked)
  }
  const work = Array.from(groups, ([kind, group]) => readGroup(backend, kind, group, results, call))
  await (work.length === 1 ? work[0] : Promise.all(work))
  return results
}

/** One key of a batch, and where its result goes. */
interface Asked {
  readonly index: number
  readonly key: Buffer
  readonly read: Read
}

async function readGroup<V>(
  { connections, statements, form }: Backend<V>,
  kind: ReadKind,
  group: readonly Asked[],
  results: ReadResult<V>[],
  call: CallOptions,
): Promise<void> {
  const values = [byteaArray(group.map(({ key }) => key))]
  if (kind === 'unless')
    values.push(byteaArray(group.map(({ read }) => knownVersionBytes(read.ifNotVersion as string))))
  try {
    const records = await connections.records(statements.readMany(kind), values, call)
    const places = new Map(group.map((asked) => [asked.key.toString('latin1'), asked]))
    for (const found of records) {
      const { index, read } = places.get(found.key) as Asked
      results[index] = entryOf(found, form, read, results[index] !== undefined)
    }
  } catch (error) {
    for (const { index } of group) results[index] = toStoreError(error, {})
  }
}
