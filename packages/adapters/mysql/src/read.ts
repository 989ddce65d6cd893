import {
  type CallOptions,
  type Entry,
  isStoreError,
  type NotModified,
  type Read,
  type ReadResult,
  type StoreError,
  toStoreError,
} from '@unikv/core'
import { knownVersionBytes } from '@unikv/core/adapter'
import { entryOf, type ReadKind, readKindOf } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import { placesOf } from './batches/key-places.ts'
import { padded, powerOfTwoFrom } from './batches/padded.ts'
import type { Parameter } from './client/mysql-client.ts'
import { keyParameter, type ValueForm } from './values.ts'

/** A row as the driver gives it. */
export interface Row {
  readonly k: Buffer
  readonly version: Buffer
  /** A string where the client gives big numbers so. */
  readonly expires_at: number | string | null
  /** Not selected, or `NULL`: the body was not asked for, or is known. */
  readonly value?: Buffer | null
}

/** Read keys: one by its own statement, many by one statement for each kind of read. */
export function read<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  return reads.length === 1 ? readOne(backend, reads[0] as Read, call) : readMany(backend, reads, call)
}

function readOne<V>(backend: Backend<V>, one: Read, call: CallOptions): Promise<readonly ReadResult<V>[]> {
  const kind = readKindOf(one)
  const key = keyParameter(one.key)
  const values = kind === 'unless' ? [knownVersionBytes(one.ifNotVersion as string), key] : [key]
  const rows = backend.connections.execute<readonly Row[]>(
    backend.statements.readOne(kind),
    values,
    call,
    false,
  )
  return rows.then(
    ([row, second]) => [row === undefined ? undefined : resultOf(row, backend.form, one, second)],
    (error: unknown) => [toStoreError(error, {})],
  )
}

async function readMany<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const results: ReadResult<V>[] = []
  const kinds: ReadKind[] = []
  for (const read of reads) {
    results.push(undefined)
    const kind = readKindOf(read)
    if (!kinds.includes(kind)) kinds.push(kind)
  }
  const work = kinds.map((kind) => readKind(backend, kind, reads, results, call))
  await (work.length === 1 ? work[0] : Promise.all(work))
  return results
}

/** The entry of a row as it was asked for, or an error if its columns make no sense. */
export function resultOf<V>(
  { version, expires_at, value }: Row,
  form: ValueForm<V>,
  read: Pick<Read, 'head' | 'ifNotVersion'>,
  second?: Row,
): Entry<V> | NotModified | StoreError {
  const token = Buffer.isBuffer(version) ? version.toString('hex') : ''
  const expiresAt = expires_at === null ? undefined : Number(expires_at)
  return entryOf({ version: token, expiresAt, body: value ?? null }, form, read, second !== undefined)
}

async function readKind<V>(
  backend: Backend<V>,
  kind: ReadKind,
  reads: readonly Read[],
  results: ReadResult<V>[],
  call: CallOptions,
): Promise<void> {
  const places: number[] = []
  const asked: Read[] = []
  for (let i = 0; i < reads.length; i++) {
    const read = reads[i] as Read
    if (readKindOf(read) !== kind) continue
    places.push(i)
    asked.push(read)
  }
  try {
    const values = parameters(kind, asked)
    const sql = backend.statements.readMany(kind, powerOfTwoFrom(asked.length))
    const rows = await backend.connections.execute<readonly Row[]>(sql, values, call, false)
    const found = placesOf(
      asked.map(({ key }) => key),
      rows,
    )
    for (let i = 0; i < rows.length; i++) {
      const place = found[i]
      if (place === undefined) continue
      const at = places[place] as number
      const before = results[at] === undefined ? undefined : rows[i]
      results[at] = resultOf(rows[i] as Row, backend.form, asked[place] as Read, before)
    }
  } catch (error) {
    for (const place of places) results[place] = isStoreError(error) ? error : toStoreError(error, {})
  }
}

function parameters(kind: ReadKind, reads: readonly Read[]): readonly Parameter[] {
  const keys = padded(reads.map(({ key }) => keyParameter(key)))
  if (kind !== 'unless') return keys
  const known = padded(reads.map(({ ifNotVersion }) => knownVersionBytes(ifNotVersion as string)))
  return [...keys.flatMap((key, i): Parameter[] => [key, known[i] as Buffer]), ...keys]
}
