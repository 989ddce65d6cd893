import {
  causeOf,
  errorTable,
  isStoreError,
  type Meaning,
  type StoreError,
  told,
  unanswered,
} from '@unikv/core/adapter'

/** Primary result codes: https://www.sqlite.org/rescode.html */
const meanings = errorTable<number>(
  {
    of: [3, 8, 23],
    code: 'ACCESS_DENIED',
    message: 'This process has no permission for the file. Check the permissions.',
  },
  {
    of: [5, 6],
    code: 'OVERLOADED',
    message: 'Another process kept the file locked; nothing was changed.',
  },
  { of: [7], code: 'OVERLOADED', message: 'Not enough memory; nothing was changed.' },
  {
    of: [11],
    code: 'CORRUPT',
    message: 'The file is damaged. Restore it, or choose another path.',
  },
  {
    of: [13],
    code: 'STORE_FULL',
    message:
      'The disk is full, or the file has reached maxBytes; nothing was changed. Free space, or delete records.',
  },
  {
    of: [14],
    code: 'ACCESS_DENIED',
    message: 'The file or its log cannot be opened. Check permissions, folder and limits.',
  },
  { of: [18], code: 'VALUE_TOO_LARGE', message: 'The value is larger than SQLite allows.' },
  { of: [26], code: 'CORRUPT', message: 'The file is not an SQLite file. Choose another path.' },
)

/** Changes of the table by others while it was open, by SQLite's words for a statement that was right before. */
const changesOfTables: readonly (readonly [RegExp, Meaning])[] = [
  [
    /no such table/,
    {
      code: 'NOT_PREPARED',
      message: 'The table was removed while it was in use; nothing was changed.',
    },
  ],
  [
    /no such column|has no column/,
    {
      code: 'INVALID_CONFIG',
      message: 'Another program has replaced the table of unikv. Name another table.',
    },
  ],
]

const failure: Meaning = {
  code: 'UNAVAILABLE',
  message: 'SQLite failed{place}; see the cause.',
  retryable: false,
}

const inputOutputError = 10

/** An error of SQLite as a `StoreError`. */
export function sqliteError(error: unknown, isWrite: boolean): StoreError {
  if (isStoreError(error)) return error
  const cause = causeOf(error)
  const code = primaryCode(error)
  // A flush that failed may have reached the disk all the same.
  if (code === inputOutputError) return unanswered('The disk', isWrite, cause)
  const changed = code === 1 ? changesOfTables.find(([said]) => said.test(String(cause)))?.[1] : undefined
  const place = code === 0 ? '' : ` (result code ${code})`
  return told(changed ?? meanings.get(code) ?? failure, cause, { where: 'SQLite', isWrite, place })
}

/** Whether the size of the writes was the reason: too much for the file, or for SQLite. Certainly nothing was changed. */
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
  // Errors on opening have their code at the end of the message.
  return Number(/: (\d+)"?\)?$/.exec(String(message))?.[1] ?? 0) & 0xff
}
