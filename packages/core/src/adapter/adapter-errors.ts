import { StoreError } from '../contract/errors.ts'
import { isError } from '../platform/realms.ts'
import type { Failed } from './error-table.ts'

// The words in which adapters tell what became of a request, the same for all of them.

/**
 * The error for a request that was certainly not sent: no connection, a full queue, or no TLS that is trusted, which no
 * repetition mends. `where` is the server, without user info.
 */
export function unreachable(where: string, cause: unknown): StoreError {
  if (isUntrusted(cause)) return untrusted(where, cause)
  return new StoreError('UNAVAILABLE', `${where} cannot be reached${why(cause)}; nothing was sent.`, {
    cause,
  })
}

/** The error for a server with which no TLS came about that this process trusts. */
export function untrusted(where: string, cause: unknown): StoreError {
  const message = `No trusted TLS with ${where}${why(cause)}; nothing was sent. Check that it speaks TLS under this name, and that the authority of its certificate is known here (tls.ca or NODE_EXTRA_CA_CERTS).`
  return new StoreError('UNAVAILABLE', message, { cause, retryable: false })
}

/** Whether an error says that TLS did not come about: by its code, of Node or OpenSSL. */
export function isUntrusted(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' && tlsCodes.test(code)
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes, and the codes for an answer that is not TLS. */
const tlsCodes =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_|(EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/

/** The error for a request that was sent and whose answer did not come: unknown for a write, harmless for a read. */
export function unanswered(where: string, isWrite: boolean, cause: unknown): StoreError {
  if (!isWrite) return new StoreError('UNAVAILABLE', `${where} did not answer${why(cause)}.`, { cause })
  const message = `The answer of ${where} to the write was lost${why(cause)}; it may or may not have taken effect. Read the key to find out.`
  return new StoreError('OUTCOME_UNKNOWN', message, { cause })
}

/** The error for a request whose connection was lost: unknown for a write that was sent, harmless for all others. */
export function lost({ where, isWrite, sent }: Failed, cause: unknown): StoreError {
  return sent ? unanswered(where, isWrite, cause) : unreachable(where, cause)
}

/** The error of a call that comes after `close`. */
export function closed(): StoreError {
  return new StoreError('CLOSED', 'This store is closed. Open a new one.')
}

/** The error for what stands in the place of a record: `The row` that `is not a unikv record`. */
export function corrupt(what: string, how: string = 'is not a unikv record', cause?: unknown): StoreError {
  const message = `${what} ${how}. Was it changed by hand?`
  return new StoreError('CORRUPT', message, cause === undefined ? {} : { cause })
}

/** The error for wrong options of a store. */
export function invalidConfig(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}

/**
 * Refuse a name that will stand in a statement, a path or an address and cannot be bound there (table, keyspace,
 * collection, bucket prefix): `[a-z][a-z0-9_]{0,47}`.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkDatasetName(option: string, name: unknown): asserts name is string {
  if (typeof name === 'string' && /^[a-z][a-z0-9_]{0,47}$/.test(name)) return
  throw invalidConfig(`${option} must match [a-z][a-z0-9_]{0,47}.`)
}

/**
 * Reject a value that is not a whole number above 0.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkPositive(limits: Readonly<Record<string, unknown>>): void {
  for (const [option, value] of Object.entries(limits))
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw invalidConfig(`${option} must be a whole number above 0.`)
}

/**
 * A copy of a driver's error with what tells what happened (name, message, code) and nothing of the request: drivers
 * attach arguments, headers and addresses with passwords. `secrets` are masked in the message.
 */
export function causeOf(error: unknown, secrets: readonly string[] = []): Error {
  if (!isError(error)) return new Error('The driver rejected with a value that is not an Error.')
  const { code } = error as { readonly code?: unknown }
  const coded = typeof code === 'string' || typeof code === 'number'
  const said = error.message === '' ? (coded ? `${code}` : error.name) : error.message
  const cause = new Error(
    secrets.filter((secret) => secret !== '').reduce((text, secret) => text.replaceAll(secret, '***'), said),
  )
  cause.name = error.name
  return coded ? Object.assign(cause, { code }) : cause
}

/**
 * Percent-decode a part of a URL; `what` names the URL in the message.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a `%` that encodes nothing, without what the part holds
 */
export function decoded(part: string, what: string = 'url'): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalidConfig(`${what} contains a stray %. Write %25 for a percent sign.`)
  }
}

/** The code of a network or driver error, in brackets. */
function why(cause: unknown): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? ` (${code})` : ''
}
