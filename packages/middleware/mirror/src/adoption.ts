import type { KeyStates } from './key-states.ts'
import type { MarkJournal } from './mark-journal.ts'
import type { MirrorSettings } from './mirror-options.ts'
import { Pause } from './pause.ts'
import type { Repairs } from './repairs.ts'

/** The parts of an adoption. */
export interface AdoptionParts {
  readonly journal: MarkJournal
  readonly states: KeyStates
  readonly repairs: Repairs
  readonly settings: MirrorSettings
  /** Told of work that `close` has to wait for. It never rejects. */
  readonly keep: (work: Promise<unknown>) => void
}

/** The marks that lie in the journal become owed keys: those of an earlier process, and those that found no room here. */
export class Adoption {
  readonly #parts: AdoptionParts
  readonly #pause: Pause
  #isDone = false
  #work: Promise<void> | undefined

  constructor(parts: AdoptionParts) {
    this.#parts = parts
    this.#pause = new Pause(parts.settings)
  }

  /** Whether marks of this process lie in the journal of which no state knows. */
  get mayWait(): boolean {
    return this.#work !== undefined || this.#parts.repairs.spilled
  }

  /** Once: read the marks. After a failure, and when there is room for others, again. */
  start(): void {
    const { repairs, settings, keep } = this.#parts
    const hasRoom = repairs.spilled && repairs.dirty.size <= settings.maxDirty / 2
    if ((this.#isDone && !hasRoom) || this.#work !== undefined || this.#pause.isOn) return
    this.#work = this.#adopt().finally(() => (this.#work = undefined))
    keep(this.#work)
  }

  /** Resolves when the marks are read, or cannot be. */
  async started(): Promise<void> {
    this.start()
    await this.#work
  }

  async #adopt(): Promise<void> {
    const { journal, states, repairs, settings } = this.#parts
    repairs.spilled = false
    try {
      for await (const { key, markKey, version } of journal.marks()) {
        const known = states.find(key)
        if (known?.marks.has(markKey) === true) continue
        const isIn = known !== undefined && repairs.dirty.has(known)
        if (!isIn && repairs.dirty.size >= settings.maxDirty) {
          repairs.spilled = true
          break
        }
        const state = states.of(key)
        state.marks.set(markKey, version)
        repairs.owe(state, { doubt: true })
      }
      this.#isDone = true
      this.#pause.well()
    } catch (error) {
      journal.failed(error)
      this.#pause.fail()
    }
  }
}
