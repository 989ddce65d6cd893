import type { ErrorCode } from '@unikv/core'
import { causeOf, isStoreError, StoreError, unanswered } from '@unikv/core/adapter'

const damaged = ['CORRUPT', 'The file is damaged. Restore it, or choose another path.'] as const
const denied = [
  'ACCESS_DENIED',
  'This process has no permission for the file. Check the permissions.',
] as const
const locked = ['OVERLOADED', 'Another process kept the file locked; nothing was changed.'] as const

/** Primary result codes: https://www.sqlite.org/rescode.html */
const meanings: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  3: denied,
  5: locked,
  6: locked,
  7: ['OVERLOADED', 'Not enough memory; nothing was changed.'],
  8: denied,
  11: damaged,
  13: [
    'STORE_FULL',
    'The disk is full, or the file has reached maxBytes; nothing was changed. Free space, or delete records.',
  ],
  14: ['ACCESS_DENIED', 'The file or its log cannot be opened. Check permissions, folder and limits.'],
  18: ['VALUE_TOO_LARGE', 'The value is larger than SQLite allows.'],
  23: denied,
  26: ['CORRUPT', 'The file is not an SQLite file. Choose another path.'],
}

/** What somebody else has done to the table while it was open, by what SQLite says of a statement that was right before. */
const changesOfTables: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/no such table/, 'NOT_PREPARED', 'The table was removed while it was in use; nothing was changed.'],
  [
    /no such column|has no column/,
    'INVALID_CONFIG',
    'Another program has replaced the table of unikv. Name another table.',
  ],
]

const inputOutputError = 10

/** An error of SQLite as a `StoreError`. */
export function sqliteError(error: unknown, isWrite: boolean): StoreError {
  if (isStoreError(error)) return error
  const cause = causeOf(error)
  const code = primaryCode(error)
  // A flush that failed may have reached the disk all the same.
  if (code === inputOutputError) return unanswered('The disk', isWrite, cause)
  const changed = changesOfTables.find(([said]) => code === 1 && said.test(String(cause)))
  if (changed !== undefined) return new StoreError(changed[1], changed[2], { cause })
  const [meaning, message] = meanings[code] ?? ['UNAVAILABLE', 'SQLite failed; see the cause.']
  return new StoreError(meaning, message, { cause, ...(meaning === 'UNAVAILABLE' && { retryable: false }) })
}

/** Whether what was to be written was the reason: too much for the file, or for SQLite. Certainly nothing was changed. */
export function isTooMuch(error: unknown): boolean {
  return isFull(error) || primaryCode(error) === 18
}

/** Whether there is no room in the file, or on the disk. */
export function isFull(error: unknown): boolean {
  return primaryCode(error) === 13
}

/** Whether somebody else has the file locked. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === 5 || code === 6
}

function primaryCode(error: unknown): number {
  const { rawCode, message } = (error ?? {}) as { readonly rawCode?: unknown; readonly message?: unknown }
  if (typeof rawCode === 'number') return rawCode & 0xff
  // What goes wrong on opening has its code at the end of the message.
  return Number(/: (\d+)"?\)?$/.exec(String(message))?.[1] ?? 0) & 0xff
}
