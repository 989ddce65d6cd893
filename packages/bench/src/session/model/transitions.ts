/** A state that may follow. The name alone has the weight 1. */
export type Next = string | WeightedNext

/** A state that may follow, and how often it does compared with the others of its row. */
export interface WeightedNext {
  readonly next: string
  /** 0 or more; only ratios within a row count. @default 1 */
  readonly weight?: number | undefined
  /** The same by the paper's name: a weight too, not a probability. */
  readonly prob?: number | undefined
}

/**
 * States that may follow each state, by name: `{ START: ['HOME'], HOME: [{ next: 'LIST', weight: 3 }, 'END'] }`. A session
 * begins at `START` and is over at `END`. A name without an interaction passes through. A row `LIST@EMPTY_RESULT` stands in
 * for `LIST` when its result had that mode.
 */
export type Transitions = Readonly<Record<string, readonly Next[]>>

/** Where sessions begin and end. */
export const start = 'START'
/** A session is over there. */
export const end = 'END'

/** A row, with weights that sum to 1. */
export interface Row {
  readonly names: readonly string[]
  readonly shares: readonly number[]
}

/** Rows by their keys, such as `LIST` and `LIST@EMPTY_RESULT`. */
export type Rows = ReadonlyMap<string, Row>

/** The row that follows a state with a result mode. */
export function rowAfter(rows: Rows, name: string, mode?: string): Row {
  const ofMode = mode === undefined ? undefined : rows.get(`${name}@${mode}`)
  return (ofMode ?? rows.get(name)) as Row
}

/** The state and the mode of a row's key. */
export function keyParts(key: string): { readonly name: string; readonly mode: string | undefined } {
  const at = key.indexOf('@')
  return at === -1 ? { name: key, mode: undefined } : { name: key.slice(0, at), mode: key.slice(at + 1) }
}

/** The weight of a state that may follow. */
export function weightOf(next: Next): unknown {
  return typeof next === 'string' ? 1 : (next.weight ?? next.prob ?? 1)
}

/** The name of a state that may follow. */
export function nameOf(next: Next): string {
  return typeof next === 'string' ? next : next.next
}
