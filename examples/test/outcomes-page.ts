import { type ErrorCode, StoreError } from '@unikv/core'
import { type Deed, errorCodes, outcomes } from '@unikv/core/adapter'

/** What a store does in the two cases in which stores differ. */
export interface StoreOutcomes {
  /** Its title in `docs/reference/stores.md`. */
  readonly store: string
  /** Answers of the server after which a write is unknown too, as if no answer had come. */
  readonly unsettled: string
  /** What becomes of a request, and of its connection, when the call ends before the answer. */
  readonly abandoned: string
}

/** Which operations do what, as far as doing it twice matters. */
const operations: Readonly<Record<Deed, string>> = {
  read: '`get`, `getEntry`, `getMany`, `has`, `revalidate`, `keys`, `entries`, `count`',
  set: '`set`, each item of `setMany`',
  delete: '`delete`, each item of `deleteMany` and of `clear`',
  'conditional set': '`set` with `ifVersion`, `update`',
  'conditional delete': '`delete` with `ifVersion`, `update` that returns `remove`',
  touch: '`touch`',
  increment: '`increment`',
}

/** What each code says of a write. */
const effects: Readonly<Record<ErrorCode, 'nothing was changed' | 'unknown' | 'a read'>> = {
  INVALID_ARGUMENT: 'nothing was changed',
  INVALID_KEY: 'nothing was changed',
  INVALID_VALUE: 'nothing was changed',
  INVALID_CONFIG: 'nothing was changed',
  KEY_TOO_LONG: 'nothing was changed',
  VALUE_TOO_LARGE: 'nothing was changed',
  UNSUPPORTED: 'nothing was changed',
  CONDITION_FAILED: 'nothing was changed',
  PARTIAL: 'a read',
  TIMEOUT: 'nothing was changed',
  ABORTED: 'nothing was changed',
  CLOSED: 'nothing was changed',
  UNAVAILABLE: 'nothing was changed',
  OVERLOADED: 'nothing was changed',
  STORE_FULL: 'nothing was changed',
  ACCESS_DENIED: 'nothing was changed',
  NOT_PREPARED: 'nothing was changed',
  OUTCOME_UNKNOWN: 'unknown',
  CORRUPT: 'nothing was changed',
  AUTHENTICATION_FAILED: 'a read',
  UNKNOWN_KEY_ID: 'nothing was changed',
}

/** The rows of the library's own table. */
export function outcomeTable(): string {
  const failures = {
    refused: 'certainly not done: not sent, or refused for now',
    unanswered: 'sent, and no answer came',
  }
  return table(
    ['what', 'how the attempt ended', 'code', 'again?', 'read back?', 'why'],
    outcomes.map(({ deed, failure, codes, retry, readBack, because }) => [
      deed,
      failures[failure],
      codes.map((code) => `\`${code}\``).join(', '),
      { yes: 'yes', asked: 'if allowed', no: 'never' }[retry],
      readBack ? 'yes' : '–',
      because,
    ]),
  )
}

/** Which operation is which deed, and whether it may be hedged. */
export function operationTable(): string {
  return table(
    ['what', 'operations', 'may be hedged'],
    Object.entries(operations).map(([deed, names]) => [
      deed,
      names,
      outcomes.some((one) => one.deed === deed && one.hedge) ? 'yes' : '–',
    ]),
  )
}

/** What the codes say. */
export function codeTable(): string {
  return table(
    ['code', 'effect of the write', '`retryable`', 'followed by another attempt of a layer'],
    errorCodes.map((code) => [
      `[\`${code}\`](errors.md#${code.toLowerCase()})`,
      effects[code],
      new StoreError(code, '').retryable ? 'yes' : '–',
      followed(code),
    ]),
  )
}

/** In what the stores differ. */
export function storeTable(stores: readonly StoreOutcomes[]): string {
  return table(
    ['store', 'answers that leave a write unknown too', 'a call that ends before its answer'],
    stores.map(({ store, unsettled, abandoned }) => [store, unsettled, abandoned]),
  )
}

function followed(code: ErrorCode): string {
  const rows = outcomes.filter(({ codes }) => codes.includes(code))
  const kinds = new Set(rows.map(({ retry }) => retry))
  if (kinds.size === 0) return '–'
  return kinds.size === 1 && kinds.has('yes') ? 'yes' : 'by the table above'
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n')
}
