import { StoreError } from '@unikv/core'
import { checkOptions, nearest } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import {
  end,
  keyParts,
  type Next,
  nameOf,
  type Row,
  type Rows,
  start,
  type Transitions,
  weightOf,
} from './transitions.ts'

/** Interactions, and the result modes of each. */
export type Modes = ReadonlyMap<string, readonly string[]>

/**
 * The rows of transitions, checked one by one; whether sessions can end is checked by `checkReach`.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the row that is wrong
 */
export function checkedRows(transitions: Transitions, modes: Modes): Rows {
  if (!isPlainObject(transitions)) throw wrong('Transitions must be an object with a list of states by name.')
  const keys = Object.keys(transitions)
  if (!keys.includes(start))
    throw wrong(`The transitions have no ${start}. Say where a session begins, such as ${start}: ['HOME'].`)
  for (const key of keys) checkKey(key, keys, modes)
  const rows = new Map(keys.map((key) => [key, rowOf(key, transitions[key] as readonly Next[])]))
  for (const [key, { names }] of rows) for (const name of names) checkTarget(key, name, rows, modes)
  return rows
}

function checkKey(key: string, keys: readonly string[], modes: Modes): void {
  const { name, mode } = keyParts(key)
  if (name === end) throw wrong(`${key} has transitions, but a session is over at ${end}. Remove the row.`)
  if (mode === undefined) return
  const known = modes.get(name)
  if (known === undefined)
    throw wrong(
      `${key} has transitions, but ${name} is not an interaction, and only those have result modes.`,
    )
  if (!known.includes(mode))
    throw wrong(`${key} has transitions, but ${name} has no result mode ${mode}. ${hint(mode, known)}`)
  if (!keys.includes(name))
    throw wrong(`${key} has transitions, but ${name} has none. Say what follows its other results.`)
}

function rowOf(key: string, nexts: readonly Next[]): Row {
  if (!Array.isArray(nexts)) throw wrong(`The transitions of ${key} must be a list of states.`)
  const weights = nexts.map((next) => checkedWeight(key, next))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === Infinity) throw wrong(`The weights after ${key} sum to Infinity. Give smaller ones.`)
  if (sum === 0) throw wrong(`The weights after ${key} sum to 0. Give at least one state a weight above 0.`)
  return { names: nexts.map(nameOf), shares: weights.map((weight) => weight / sum) }
}

function checkedWeight(key: string, next: Next): number {
  if (typeof next !== 'string') {
    checkOptions(`transitions of ${key}`, next, { next: true, weight: true, prob: true })
    if (typeof next?.next !== 'string')
      throw wrong(`A transition of ${key} has no \`next\`: the name of a state.`)
    if (next.weight !== undefined && next.prob !== undefined)
      throw wrong(
        `The transition from ${key} to ${next.next} has \`weight\` and \`prob\`, which are the same. Give one of them.`,
      )
  }
  const weight = weightOf(next)
  if (typeof weight === 'number' && weight >= 0 && Number.isFinite(weight)) return weight
  throw wrong(
    `The weight of ${nameOf(next)} after ${key} must be a number of 0 or more, got ${String(weight)}.`,
  )
}

function checkTarget(key: string, name: string, rows: Rows, modes: Modes): void {
  if (name === end || rows.has(name)) {
    if (!name.includes('@')) return
    throw wrong(
      `${key} leads to ${name}, but the row of a result mode is not a state. Lead to ${keyParts(name).name}.`,
    )
  }
  if (modes.has(name))
    throw wrong(`${name} has no transitions. Say what follows it, such as ${name}: ['${end}'].`)
  const known = [...rows.keys(), ...modes.keys(), end].filter((one) => !one.includes('@'))
  const meant = nearest(name, known)
  const told = meant === undefined ? 'Give it transitions, or an interaction.' : `Did you mean ${meant}?`
  throw wrong(`${key} leads to ${name}, which has neither transitions nor an interaction. ${told}`)
}

function hint(mode: string, known: readonly string[]): string {
  const meant = nearest(mode, known)
  return meant === undefined ? `It has ${known.join(', ')}.` : `Did you mean ${meant}?`
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
