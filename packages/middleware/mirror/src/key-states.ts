import { KeyState } from './key-state.ts'

/** The states of all keys of which something is known: those being written, and those that are owed. */
export class KeyStates {
  readonly #states = new Map<string, KeyState>()

  /** The state of a key, made if there is none. */
  of(key: string): KeyState {
    let state = this.#states.get(key)
    if (state === undefined) {
      state = new KeyState(key)
      this.#states.set(key, state)
    }
    return state
  }

  find(key: string): KeyState | undefined {
    return this.#states.get(key)
  }

  /** A write of the key begins. */
  enter(key: string): KeyState {
    const state = this.of(key)
    state.writing++
    if (state.writing > 1) state.met = true
    return state
  }

  /** A write of the key has ended in the primary. Whether it had the key for itself. */
  leave(state: KeyState): boolean {
    const wasAlone = !state.met
    state.writing--
    if (state.writing === 0) state.met = false
    return wasAlone
  }

  /** Whether no other state of the key has taken its place since it was forgotten. */
  owns(state: KeyState): boolean {
    return (this.#states.get(state.key) ?? state) === state
  }

  /** Forget a state that has nothing to tell. */
  drop(state: KeyState): void {
    if (state.isIdle) this.#states.delete(state.key)
  }

  get size(): number {
    return this.#states.size
  }
}
