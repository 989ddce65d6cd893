import { AbortController } from '@unikv/core/platform'
import type { Action } from '../log/action.ts'
import type { Tactic } from '../tactic.ts'
import type { CourseParts } from './parts.ts'

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

  async follow(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      const tactic = this.#parts.tactics.find(({ name }) => name === action.tactic)
      if (tactic?.where !== 'process') continue
      try {
        await this.#as(action, tactic)
      } catch (error) {
        this.#parts.onError(error)
      }
    }
  }

  async #as({ id, store, change, isOn }: Action, tactic: Tactic): Promise<void> {
    const place = this.#parts.placeOf(store)
    if (place === undefined || (!isOn && !this.#made.has(id))) return
    const at = { ...place, signal: new AbortController().signal }
    const isDone = await tactic.isDone(change, at)
    if (isOn && !isDone) await tactic.carryOut(change, at)
    if (!isOn && isDone) await tactic.undo(change, at)
    if (isOn) this.#made.add(id)
    else this.#made.delete(id)
  }
}
