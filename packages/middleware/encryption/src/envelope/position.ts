import { StoreError } from '@unikv/core/adapter'

/** The position of a sweep as text: form, name of the store, position of its scan. */
export function encodePosition(resume: string, store: string): string {
  return `r1.${base64(store)}.${base64(resume)}`
}

/**
 * The position of the scan in a cursor that `encodePosition` made.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for anything else, and for a cursor of another store
 */
export function decodePosition(cursor: unknown, store: string): string | undefined {
  if (cursor === undefined) return undefined
  const [form, name, resume, ...more] = typeof cursor === 'string' ? cursor.split('.') : []
  if (form === 'r1' && name === base64(store) && resume !== undefined && more.length === 0) {
    const position = Buffer.from(resume, 'base64url').toString()
    if (base64(position) === resume) return position
  }
  throw new StoreError('INVALID_ARGUMENT', `The cursor was not issued by reencrypt on ${store}.`)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url')
}
