import { type SetMutation, StoreError } from '@unikv/core'
import { type Scratch, versionBytes } from '@unikv/core/adapter'
import { expiryColumn } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import type { Parameter } from './client/mysql-client.ts'

/** Types, lengths and version of a row in a packet, amply. */
export const rowOverheadBytes = 64

/**
 * The parameters of a row: key, version, expiry (none where it is kept), value.
 *
 * @throws {StoreError} `INVALID_VALUE`, `VALUE_TOO_LARGE`
 */
export function rowOf<V>(
  backend: Backend<V>,
  key: string | Buffer,
  { version, expiresAt, value }: SetMutation<V>,
  scratch?: Scratch,
): RowParameters {
  const expiry = expiresAt === 'keep' ? null : expiryColumn(expiresAt)
  return [key, versionBytes(version), expiry, valueParameter(backend, key, value, scratch)]
}

/** Key, version, expiry, value. */
export type RowParameters = readonly [string | Buffer, Buffer, number | null, Buffer]

/**
 * The parameter for a value. Refused here, as a packet over the server's limit costs the connection, and with it
 * the knowledge of what became of it.
 *
 * @throws {StoreError} `INVALID_VALUE`, `VALUE_TOO_LARGE`
 */
export function valueParameter<V>(
  { form, maxStatementBytes }: Backend<V>,
  key: string | Buffer,
  value: V,
  scratch?: Scratch,
): Parameter & Buffer {
  const bound = form.toParameter(value, scratch)
  if (key.length + bound.length + rowOverheadBytes <= maxStatementBytes) return bound
  throw new StoreError(
    'VALUE_TOO_LARGE',
    `The value has ${bound.length} bytes; a statement holds ${maxStatementBytes}, key included.`,
  )
}
