import type { Action } from '../log/action.ts'
import type { Tactic } from '../tactic.ts'
import type { CourseParts } from './parts.ts'
import { withinTime } from './within-time.ts'

/**
 * Keeps this process as the log says: a change that each process makes by itself, such as a cache, is made here too, also after a
 * restart; one that was taken back is taken back here if it was made here.
 */
export class Following {
  readonly #parts: Pick<CourseParts, 'tactics' | 'placeOf' | 'onError'>
  readonly #made = new Set<string>()

  constructor(parts: Pick<CourseParts, 'tactics' | 'placeOf' | 'onError'>) {
    this.#parts = parts
  }

  async follow(actions: readonly Action[], end: AbortSignal): Promise<void> {
    const replaced = replacedIn(actions)
    for (const action of actions) {
      if (replaced.has(action)) continue
      const tactic = this.#parts.tactics.find(({ name }) => name === action.tactic)
      if (tactic?.where !== 'process') continue
      try {
        await withinTime(() => this.#as(action, tactic, end), tactic.limitMs, end)
      } catch (error) {
        this.#parts.onError(error)
      }
    }
  }

  async #as({ id, store, change, isOn }: Action, tactic: Tactic, signal: AbortSignal): Promise<void> {
    const place = this.#parts.placeOf(store)
    if (place === undefined || (!isOn && !this.#made.has(id))) return
    const at = { ...place, signal }
    const isDone = await tactic.isDone(change, at)
    if (isOn && !isDone) await tactic.carryOut(change, at)
    if (!isOn && isDone) await tactic.undo(change, at)
    if (isOn) this.#made.add(id)
    else this.#made.delete(id)
  }
}

/** Actions that are on, but of which a later one set the same place of the same store. */
function replacedIn(actions: readonly Action[]): ReadonlySet<Action> {
  const on = actions.filter(({ isOn, place }) => isOn && place !== undefined)
  const latest = new Map(on.map((action) => [`${action.store} ${action.place}`, action]))
  return new Set(on.filter((action) => latest.get(`${action.store} ${action.place}`) !== action))
}
