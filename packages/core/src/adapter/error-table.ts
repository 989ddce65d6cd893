import { type ErrorCode, StoreError } from '../contract/errors.ts'

// One form in which every adapter says what the errors of its driver mean: rows of a table, by the codes of the driver.

/** Facts about a request that failed. */
export interface Failed {
  /** The server, without user info. A message names it by `{where}`. */
  readonly where: string
  readonly isWrite: boolean
  /** Whether the request went out, as far as is known. */
  readonly sent: boolean
  /** The table, bucket or collection. A message names it by `{place}`. */
  readonly place?: string | undefined
}

/** Meaning of a failure for a caller. Unless it is `unsettled`, nothing was changed. */
export interface Meaning {
  readonly code: ErrorCode
  /** Names neither keys nor values; `{where}` and `{place}` are filled in. */
  readonly message: string
  /** @default as for all errors of this code */
  readonly retryable?: boolean | undefined
  /**
   * For a failure after which a write may have taken effect: what happened, as the start of the message of
   * `OUTCOME_UNKNOWN`. Code and message are then those of a read.
   */
  readonly unsettled?: string | undefined
}

/** Meanings by the codes of a driver. */
export type ErrorTable<Code> = ReadonlyMap<Code, Meaning>

/** One meaning, and all codes that have it. */
export interface ErrorRow<Code> extends Meaning {
  readonly of: readonly Code[]
}

/** A table of these rows. */
export function errorTable<Code>(...rows: readonly ErrorRow<Code>[]): ErrorTable<Code> {
  return new Map(rows.flatMap(({ of, ...meaning }) => of.map((code) => [code, meaning] as const)))
}

/** The meaning of a failure whose answer was lost. */
export const lostAnswer: Meaning = {
  code: 'UNAVAILABLE',
  message: '{where} did not answer.',
  unsettled: 'The answer of {where} to the write was lost',
}

/** The meaning of a server's refusal that no table lists; `which` says how the server named it: `error 1234`. */
export function unlisted(server: string, which: string): Meaning {
  const message = `${server} rejected the request (${which}); see the cause.`
  return { code: 'UNAVAILABLE', message, retryable: false }
}

/** The error for a failure with this meaning. Without `failed` it is told as one of a read. */
export function told(
  { code, message, retryable, unsettled }: Meaning,
  cause?: unknown,
  failed?: Pick<Failed, 'where' | 'isWrite' | 'place'>,
): StoreError {
  const more = cause === undefined ? {} : { cause }
  if (unsettled === undefined || failed?.isWrite !== true)
    return new StoreError(code, filled(message, failed), { ...more, retryable })
  const text = `${filled(unsettled, failed)}; it may or may not have taken effect. Read the key to find out.`
  return new StoreError('OUTCOME_UNKNOWN', text, more)
}

function filled(text: string, { where = 'The store', place = where }: Partial<Failed> = {}): string {
  return text.replace(/\{(where|place)\}/g, (_, name) => (name === 'where' ? where : place))
}
