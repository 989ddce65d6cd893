import { checkOptions, invalidConfig, nearest } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'

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
function weightOf(next: Next): unknown {
  return typeof next === 'string' ? 1 : (next.weight ?? next.prob ?? 1)
}

/** The name of a state that may follow. */
function nameOf(next: Next): string {
  return typeof next === 'string' ? next : next.next
}

/** Interactions, and the result modes of each. */
export type Modes = ReadonlyMap<string, readonly string[]>

/**
 * The rows of transitions, checked one by one; whether sessions can end is checked by `checkReach`.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the row that is wrong
 */
export function checkedRows(transitions: Transitions, modes: Modes): Rows {
  if (!isPlainObject(transitions))
    throw invalidConfig('Transitions must be an object with a list of states by name.')
  const keys = Object.keys(transitions)
  if (!keys.includes(start))
    throw invalidConfig(
      `The transitions have no ${start}. Say where a session begins, such as ${start}: ['HOME'].`,
    )
  for (const key of keys) checkKey(key, keys, modes)
  const rows = new Map(keys.map((key) => [key, rowOf(key, transitions[key] as readonly Next[])]))
  for (const [key, { names }] of rows) for (const name of names) checkTarget(key, name, rows, modes)
  return rows
}

function checkKey(key: string, keys: readonly string[], modes: Modes): void {
  const { name, mode } = keyParts(key)
  if (name === end)
    throw invalidConfig(`${key} has transitions, but a session is over at ${end}. Remove the row.`)
  if (mode === undefined) return
  const known = modes.get(name)
  if (known === undefined)
    throw invalidConfig(
      `${key} has transitions, but ${name} is not an interaction, and only those have result modes.`,
    )
  if (!known.includes(mode))
    throw invalidConfig(
      `${key} has transitions, but ${name} has no result mode ${mode}. ${hint(mode, known)}`,
    )
  if (!keys.includes(name))
    throw invalidConfig(`${key} has transitions, but ${name} has none. Say what follows its other results.`)
}

function rowOf(key: string, nexts: readonly Next[]): Row {
  if (!Array.isArray(nexts)) throw invalidConfig(`The transitions of ${key} must be a list of states.`)
  const weights = nexts.map((next) => checkedWeight(key, next))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === Infinity) throw invalidConfig(`The weights after ${key} sum to Infinity. Give smaller ones.`)
  if (sum === 0)
    throw invalidConfig(`The weights after ${key} sum to 0. Give at least one state a weight above 0.`)
  return { names: nexts.map(nameOf), shares: weights.map((weight) => weight / sum) }
}

function checkedWeight(key: string, next: Next): number {
  if (typeof next !== 'string') {
    checkOptions(`transitions of ${key}`, next, { next: true, weight: true, prob: true })
    if (typeof next?.next !== 'string')
      throw invalidConfig(`A transition of ${key} has no \`next\`: the name of a state.`)
    if (next.weight !== undefined && next.prob !== undefined)
      throw invalidConfig(
        `The transition from ${key} to ${next.next} has \`weight\` and \`prob\`, which are the same. Give one of them.`,
      )
  }
  const weight = weightOf(next)
  if (typeof weight === 'number' && weight >= 0 && Number.isFinite(weight)) return weight
  throw invalidConfig(
    `The weight of ${nameOf(next)} after ${key} must be a number of 0 or more, got ${String(weight)}.`,
  )
}

function checkTarget(key: string, name: string, rows: Rows, modes: Modes): void {
  if (name === end || rows.has(name)) {
    if (!name.includes('@')) return
    throw invalidConfig(
      `${key} leads to ${name}, but the row of a result mode is not a state. Lead to ${keyParts(name).name}.`,
    )
  }
  if (modes.has(name))
    throw invalidConfig(`${name} has no transitions. Say what follows it, such as ${name}: ['${end}'].`)
  const known = [...rows.keys(), ...modes.keys(), end].filter((one) => !one.includes('@'))
  const meant = nearest(name, known)
  const told = meant === undefined ? 'Give it transitions, or an interaction.' : `Did you mean ${meant}?`
  throw invalidConfig(`${key} leads to ${name}, which has neither transitions nor an interaction. ${told}`)
}

function hint(mode: string, known: readonly string[]): string {
  const meant = nearest(mode, known)
  return meant === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${meant}?`
}
