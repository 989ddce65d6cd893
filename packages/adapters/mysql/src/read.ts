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
import type { Backend } from './backend.ts'
import type { Parameter } from './mysql-client.ts'
import { padded } from './padded.ts'
import type { ReadKind } from './statements.ts'
import { knownVersionBytes, type ValueForm } from './values.ts'

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
  const kind = kindOf(one)
  const key = Buffer.from(one.key)
  const values = kind === 'unless' ? [knownVersionBytes(one.ifNotVersion as string), key] : [key]
  const rows = backend.connections.execute<readonly Row[]>(
    backend.statements.readOne(kind),
    values,
    call,
    false,
  )
  return rows.then(
    ([row]) => [row === undefined ? undefined : resultOf(row, backend.form)],
    (error: unknown) => [toStoreError(error, {})],
  )
}

async function readMany<V>(
  backend: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<V>[]> {
  const results: ReadResult<V>[] = reads.map(() => undefined)
  const kinds = new Set(reads.map(kindOf))
  await Promise.all(Array.from(kinds, (kind) => readKind(backend, kind, reads, results, call)))
  return results
}

/** The entry of a row, or an error if its value makes no sense. */
export function resultOf<V>(
  { version, expires_at, value }: Row,
  form: ValueForm<V>,
): Entry<V> | NotModified | StoreError {
  const token = version.toString('hex')
  const expiresAt = expires_at === null ? undefined : Number(expires_at)
  if (value === undefined || value === null) return { notModified: true, version: token, expiresAt }
  try {
    return { value: form.fromColumn(value), version: token, expiresAt }
  } catch (error) {
    return toStoreError(error, { code: 'CORRUPT' })
  }
}

async function readKind<V>(
  backend: Backend<V>,
  kind: ReadKind,
  reads: readonly Read[],
  results: ReadResult<V>[],
  call: CallOptions,
): Promise<void> {
  const places = new Map<string, number>()
  for (const [i, read] of reads.entries()) if (kindOf(read) === kind) places.set(read.key, i)
  const asked = padded(Array.from(places.values(), (place) => reads[place] as Read))
  const sql = backend.statements.readMany(kind, asked.length)
  try {
    const rows = await backend.connections.execute<readonly Row[]>(sql, parameters(kind, asked), call, false)
    for (const row of rows) {
      const place = places.get(row.k.toString())
      if (place !== undefined) results[place] = resultOf(row, backend.form)
    }
  } catch (error) {
    for (const place of places.values())
      results[place] = isStoreError(error) ? error : toStoreError(error, {})
  }
}

function parameters(kind: ReadKind, reads: readonly Read[]): readonly Parameter[] {
  const keys = reads.map(({ key }) => Buffer.from(key))
  if (kind !== 'unless') return keys
  return [
    ...reads.flatMap(({ ifNotVersion }, i) => [keys[i] as Buffer, knownVersionBytes(ifNotVersion as string)]),
    ...keys,
  ]
}

function kindOf({ head, ifNotVersion }: Read): ReadKind {
  if (head === true) return 'head'
  return ifNotVersion === undefined ? 'value' : 'unless'
}
