import type { DriveSample } from '../../drive/driver.ts'
import type { Invalidity } from '../../loop/verdict.ts'

/** Reasons why the records are not those that a phase should have left. Its times do not matter. */
const spoiling: ReadonlySet<string> = new Set(['worker-lost', 'too-many-errors', 'records-lost'])

/** Faults of phases that are not counted: the next counted one measures the records that they left. */
export class SpoiledPhases {
  readonly #found = new Map<string, Invalidity[]>()

  /** A phase that is not counted has ended. */
  saw(store: string, phase: string, { invalid, firstError }: DriveSample): void {
    const found = invalid.filter(({ reason }) => spoiling.has(reason))
    const cause = firstError === null ? '' : `, the first one with: ${firstError}`
    const told = found.map(({ reason, message }) => {
      const because = reason === 'too-many-errors' ? cause : ''
      return {
        reason,
        message: `in the phase ${phase} before it, which is not counted, ${message}${because}`,
      }
    })
    this.#found.set(store, [...(this.#found.get(store) ?? []), ...told])
  }

  /** The reasons for which the next counted phase is invalid, once. */
  take(store: string): readonly Invalidity[] {
    const found = this.#found.get(store) ?? []
    this.#found.delete(store)
    return found
  }
}
