import {
  type CallOptions,
  type Entry,
  type NotModified,
  type Read,
  type ReadResult,
  type StoreError,
  toStoreError,
} from '@unikv/core'
import { corrupt, knownVersionBytes } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { byteaArray } from './client/arrays.ts'
import type { FoundRecord } from './found-record.ts'
import type { ReadKind } from './statements.ts'
import type { ValueForm } from './values.ts'

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
  { key, head, ifNotVersion }: Read,
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const kind = kindOf(head, ifNotVersion)
  const known = kind === 'unless' ? [knownVersionBytes(ifNotVersion as string)] : []
  return connections.records(statements.readOne(kind), [Buffer.from(key), ...known], call).then(
    ([found, second]) => [
      found === undefined ? undefined : resultOf(found, form, kind, ifNotVersion, second),
    ],
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
  for (const [index, { key, head, ifNotVersion }] of reads.entries()) {
    const kind = kindOf(head, ifNotVersion)
    const asked = { index, key: Buffer.from(key), known: ifNotVersion }
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
  readonly known: string | undefined
}

async function readGroup<V>(
  { connections, statements, form }: Backend<V>,
  kind: ReadKind,
  group: readonly Asked[],
  results: ReadResult<V>[],
  call: CallOptions,
): Promise<void> {
  const values = [byteaArray(group.map(({ key }) => key))]
  if (kind === 'unless') values.push(byteaArray(group.map(({ known = '' }) => knownVersionBytes(known))))
  try {
    const records = await connections.records(statements.readMany(kind), values, call)
    const places = new Map(group.map(({ key, index }) => [key.toString('latin1'), index]))
    const known = new Map(kind === 'unless' ? group.map(({ index, known }) => [index, known]) : [])
    for (const found of records) {
      const index = places.get(found.key) as number
      const before = results[index] === undefined ? undefined : found
      results[index] = resultOf(found, form, kind, known.get(index), before)
    }
  } catch (error) {
    for (const { index } of group) results[index] = toStoreError(error, {})
  }
}

/** The entry of a record as it was asked for, or an error if it makes no sense: someone changed the table. */
export function resultOf<V>(
  { version, expiresAt, body }: FoundRecord,
  form: ValueForm<V>,
  kind: ReadKind,
  known?: string,
  second?: FoundRecord,
): Found<V> {
  if (second !== undefined || version.length !== versionDigits) return corrupt('The row')
  if (body === null) {
    const isSpared = kind === 'head' || (kind === 'unless' && version === known)
    return isSpared ? { notModified: true, version, expiresAt } : corrupt('The row')
  }
  if (kind === 'head') return corrupt('The row')
  try {
    return { value: form.fromColumn(body), version, expiresAt }
  } catch (error) {
    return toStoreError(error, { code: 'CORRUPT' })
  }
}

/** A version has 12 bytes. */
const versionDigits = 24

type Found<V> = Entry<V> | NotModified | StoreError

function kindOf(head: boolean | undefined, ifNotVersion: string | undefined): ReadKind {
  if (head === true) return 'head'
  return ifNotVersion === undefined ? 'value' : 'unless'
}
