import { fastRandom, subSeed } from '../../src/random/random.ts'
import { Course, type Step } from '../../src/session/model/course.ts'
import { Draws } from '../../src/session/model/draws.ts'
import { checkedModel, type ModelContext, type SessionModel } from '../../src/session/model/session-model.ts'
import type { ThinkTime } from '../../src/session/model/think-time.ts'
import { end, type Rows, rowAfter, start } from '../../src/session/model/transitions.ts'

/** How often results have modes: for each interaction, the share of each mode. The rest has none. */
type ModeShares = Readonly<Record<string, Readonly<Record<string, number>>>>

/** The mean length of pauses in milliseconds: an exponential law loses what is cut off. */
export function meanMs({ avgMs, maxMs }: Extract<ThinkTime, { readonly avgMs: number }>): number {
  return avgMs * -Math.expm1(-maxMs / avgMs)
}

/** Sessions that go their ways without any data, with the model's limits and think times. */
export function simulate(
  model: SessionModel,
  context: ModelContext,
  { sessions, seed = 42, modes = {} }: { sessions: number; seed?: number; modes?: ModeShares },
) {
  const checked = checkedModel(model, context)
  const visits = new Map<string, number>()
  const sums = { interactions: 0, mostInteractions: 0, thinkMs: 0 }
  for (let session = 0; session < sessions; session++) {
    const draw = new Draws(fastRandom(subSeed(seed, 'session', session)))
    const count = (name: string) => void visits.set(name, (visits.get(name) ?? 0) + 1)
    const course = new Course(checked, draw, 0, count)
    let now = 0
    for (let step: Step | undefined = course.first(now); step !== undefined; ) {
      now += step.thinkMs
      step = course.next(now, step.name, modeOf(modes[step.name], draw))
    }
    sums.interactions += course.count
    sums.mostInteractions = Math.max(sums.mostInteractions, course.count)
    sums.thinkMs += now
  }
  return { ...sums, visits: Object.fromEntries(visits) }
}

function modeOf(shares: ModeShares[string] = {}, draw: Draws): string | undefined {
  let left = draw.share()
  for (const [mode, share] of Object.entries(shares)) {
    left -= share
    if (left < 0) return mode
  }
  return undefined
}

/** The expected visits of a session, by solving the Markov chain of its states, without limits. */
export function expectedVisits(model: SessionModel, context: ModelContext, modes: ModeShares = {}) {
  const { rows, modes: known } = checkedModel(model, context)
  const chances = new Map<string, ReadonlyMap<string, number>>([[end, new Map([[start, 1]])]])
  const seen = new Set([end, start])
  for (const name of seen) {
    const followers = chances.get(name) ?? chancesAfter(rows, name, modes[name])
    chances.set(name, followers)
    for (const next of followers.keys()) seen.add(next)
  }
  const names = [...seen]
  const counts = visitsBetween(names.map((from) => names.map((to) => chances.get(from)?.get(to) ?? 0)))
  const visits = names.map((name, index) => [name, counts[index]!] as const).slice(1)
  const own = visits.filter(([name]) => known.has(name))
  const interactions = own.reduce((sum, [, count]) => sum + count, 0)
  const shares = Object.fromEntries(own.map(([name, count]) => [name, count / interactions]))
  return { visits: Object.fromEntries(visits), interactions, shares }
}

/** The probability of each state after another one, over all result modes. */
function chancesAfter(rows: Rows, name: string, shares: ModeShares[string] = {}) {
  const plain = 1 - Object.values(shares).reduce((sum, share) => sum + share, 0)
  const chances = new Map<string, number>()
  for (const [mode, weight] of [[undefined, plain] as const, ...Object.entries(shares)]) {
    const row = rowAfter(rows, name, mode)
    row.names.forEach((next, index) => {
      const chance = weight * row.shares[index]!
      if (chance > 0) chances.set(next, (chances.get(next) ?? 0) + chance)
    })
  }
  return chances
}

/**
 * How often each state of a Markov chain is visited between two visits of the first one, by the state reduction of Grassmann, Taksar
 * and Heyman. It subtracts nothing, so that chances of any size keep their digits.
 */
function visitsBetween(chances: readonly (readonly number[])[]): readonly number[] {
  const left = chances.map((row) => [...row])
  for (let last = left.length - 1; last > 0; last--) {
    const onward = left[last]!
    const sum = onward.slice(0, last).reduce((total, chance) => total + chance, 0)
    for (const row of left.slice(0, last)) {
      row[last] = row[last]! / sum
      for (let to = 0; to < last; to++) row[to] = row[to]! + row[last]! * onward[to]!
    }
  }
  const visits = [1]
  for (let state = 1; state < left.length; state++)
    visits.push(visits.reduce((sum, count, from) => sum + count * left[from]![state]!, 0))
  return visits
}
