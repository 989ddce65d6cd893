import { StoreError } from '@unikv/core/adapter'

/** A statement that would end the transaction, or begin another one. */
const ending =
  /(?:begin|start\s+transaction|commit|end|abort|rollback(?!\s+(?:work\s+|transaction\s+)?to\b)|prepare\s+transaction|xa)\b/iy

/** The parts of SQL that matter here, so that a word in a comment, a text or a name is not taken for a statement. */
const parts = {
  /** Stands before a statement. A comment with `!` is skipped by its marks alone, as MySQL runs what is in it. */
  space: /\s+|--[^\n]*|#[^\n]*|\/\*!\d*|\/\*(?!!)[\s\S]*?\*\/|\*\//y,
  /** Texts and names; in some modes of a server a backslash does not escape, so this does not know for all. */
  quoted: /'(?:[^'\\]|\\[\s\S])*'|"[^"]*"|`[^`]*`|\$(\w*)\$[\s\S]*?\$\1\$/y,
} as const

/**
 * Refuse what a transaction cannot have: callbacks and cursors, and statements that end it. It keeps from mistakes; a caller who wants to
 * get round it can, as only the server knows all of its SQL.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkStatement(args: readonly unknown[]): void {
  const [first] = args
  const { text, sql, submit } = (typeof first === 'object' && first !== null ? first : { text: first }) as {
    readonly [name: string]: unknown
  }
  if (typeof submit === 'function' || args.some((arg) => typeof arg === 'function'))
    throw refused('has promises: leave out the callback or the cursor')
  if (hasEnding(String(text ?? sql)))
    throw refused('begins and ends by itself: leave out BEGIN, COMMIT and ROLLBACK')
}

function hasEnding(sql: string): boolean {
  let isStart = true
  for (let at = 0; at < sql.length; ) {
    const length = lengthAt(parts.space, sql, at)
    if (length === 0 && isStart && lengthAt(ending, sql, at) > 0) return true
    if (length === 0) isStart = sql[at] === ';'
    at += length || lengthAt(parts.quoted, sql, at) || 1
  }
  return false
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

function refused(why: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `SQL in a transaction ${why}; the statement was not sent.`)
}
