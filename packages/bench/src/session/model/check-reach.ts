import { invalidConfig } from '@unikv/core/adapter'
import { end, keyParts, type Rows, start } from './transitions.ts'

/** The parts of a model that decide whether sessions end. */
export interface Reach {
  readonly rows: Rows
  /** Names that have an interaction. */
  readonly interactions: ReadonlySet<string>
  /** Whether a limit ends every session, so that none has to come to `END`. */
  readonly isLimited: boolean
}

/** The way of sessions through a model. */
interface Reached {
  /** Interactions that a session may come to. */
  readonly used: ReadonlySet<string>
  /** Whether sessions end. */
  readonly ends: boolean
}

/**
 * Refuse transitions in which a session does nothing, goes around without an interaction, or comes to a state from which it
 * cannot reach `END`. Transitions that do not lead to `END` at all are those of endless sessions, and pass.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the state
 */
export function checkReach({ rows, interactions, isLimited }: Reach): Reached {
  const followers = followersOf(rows)
  const reached = [...reachedFrom([start], followers)]
  const used = new Set(reached.filter((name) => interactions.has(name)))
  if (used.size === 0)
    throw invalidConfig(`No interaction can be reached from ${start}. A session would do nothing.`)
  const goals = goalsOf(reached, followers, (name) => interactions.has(name) || name === end)
  const idle = reached.find((name) => !goals.has(name))
  if (idle !== undefined)
    throw invalidConfig(
      `A session at ${idle} goes around without an interaction for ever. Let one of the states there lead to an interaction or to ${end}.`,
    )
  if (isLimited) return { used, ends: true }
  if (!reached.includes(end)) return { used, ends: false }
  const ending = goalsOf(reached, followers, (name) => name === end)
  const stuck = reached.find((name) => !ending.has(name))
  if (stuck === undefined) return { used, ends: true }
  throw invalidConfig(
    `A session at ${stuck} cannot reach ${end}. Let a state there lead to ${end}, or limit sessions by maxCount or maxTimeMs.`,
  )
}

/** The states that may follow each state, by any result mode. */
function followersOf(rows: Rows): ReadonlyMap<string, ReadonlySet<string>> {
  const followers = new Map<string, Set<string>>()
  for (const [key, { names, shares }] of rows) {
    const { name } = keyParts(key)
    const known = followers.get(name) ?? new Set()
    names.forEach((next, index) => (shares[index] as number) > 0 && known.add(next))
    followers.set(name, known)
  }
  return followers
}

function reachedFrom(
  from: readonly string[],
  followers: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const reached = new Set(from)
  for (const name of reached) for (const next of followers.get(name) ?? []) reached.add(next)
  return reached
}

/** The states that are a goal, or may come to one. */
function goalsOf(
  names: readonly string[],
  followers: ReadonlyMap<string, ReadonlySet<string>>,
  isGoal: (name: string) => boolean,
): ReadonlySet<string> {
  const leaders = new Map<string, Set<string>>()
  for (const [name, nexts] of followers)
    for (const next of nexts) leaders.set(next, (leaders.get(next) ?? new Set()).add(name))
  return reachedFrom(names.filter(isGoal), leaders)
}
